import type { UsageDimension, UsageQueries } from '@headgate/store'

export const DIMENSIONS = [
  'model',
  'provider',
  'key',
  'project',
  'environment',
  'member',
  'family',
  'status',
] as const satisfies readonly UsageDimension[]

/** Usage: a store's `usage`. */
export type UsageBook = Pick<
  UsageQueries,
  | 'rows'
  | 'byRequest'
  | 'series'
  | 'dayZone'
  | 'latency'
  | 'each'
  | 'minutes'
  | 'recentUse'
  | 'refusalsByBudget'
  | 'failures'
  | 'unauthenticated'
  | 'groups'
  | 'explain'
  | 'namesOf'
  | 'upstreamTotals'
>
