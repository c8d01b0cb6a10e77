import { LABELS } from '../../labels.ts'
import type { Metric, Split } from './search.ts'

export const METRIC_TITLES: Readonly<Record<Metric, string>> = {
  spend: LABELS.spend,
  requests: LABELS.requests,
  tokens: LABELS.tokens,
  failures: 'Failed requests',
}

/** Groupings in a sentence. */
export const SPLIT_NAMES: Readonly<Record<Split, string>> = {
  model: 'model',
  provider: 'provider',
  key: 'key',
  project: 'project',
  environment: 'environment',
  member: 'owner',
  family: 'request type',
  user: 'end user',
  session: 'session',
  tag: 'tag',
}

/** Groupings as column titles. */
export const SPLIT_TITLES: Readonly<Record<Split, string>> = {
  model: LABELS.model,
  provider: LABELS.provider,
  key: LABELS.key,
  project: LABELS.project,
  environment: LABELS.environment,
  member: LABELS.owner,
  family: LABELS.family,
  user: LABELS.endUser,
  session: LABELS.session,
  tag: LABELS.tag,
}
