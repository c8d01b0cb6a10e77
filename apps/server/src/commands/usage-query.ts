import type { UsageDimension, UsageFilters } from '@headgate/store'
import { projectIn, projectsOf, withOperator } from './accounts.ts'
import { type CommandContext, type Option, stringFlag, usageError } from './command.ts'
import { durationOf, timestampOf } from './days.ts'
import { allKeys, findKey, settingsOf } from './key-reference.ts'
import { withStore } from './store.ts'

/** Time range and filters of a usage command. */
export interface UsageQuery {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly filters: UsageFilters
}

export const RANGE_OPTIONS: Readonly<Record<string, Option>> = {
  from: {
    type: 'string',
    value: 'when',
    help: 'start: a UTC date such as 2026-11-01, a time, or an age (7d, 24h, 30m)',
  },
  to: { type: 'string', value: 'when', help: 'end (exclusive)' },
}

export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  ...RANGE_OPTIONS,
  key: { type: 'string', value: 'id or name', help: 'only requests of this key' },
  project: { type: 'string', value: 'id or name', help: 'only requests with keys of this project' },
  environment: { type: 'string', value: 'name', help: 'only requests with keys of this environment' },
  model: { type: 'string', value: 'name', help: 'only requests of this model, as callers name it' },
  provider: { type: 'string', value: 'name', help: 'only requests that this provider served' },
  endpoint: { type: 'string', value: 'name', help: 'only requests that this endpoint of a provider served' },
}

/** Reads the flags. @throws HeadgateError for an invalid value. */
export async function usageQuery(context: CommandContext): Promise<UsageQuery> {
  const [key, project] = [stringFlag(context, 'key'), stringFlag(context, 'project')]
  const filters = {
    key: key === undefined ? undefined : await keyId(context, key),
    project: project === undefined ? undefined : await projectId(context, project),
    environment: stringFlag(context, 'environment'),
    model: stringFlag(context, 'model'),
    provider: stringFlag(context, 'provider'),
    endpoint: stringFlag(context, 'endpoint'),
  }
  return { ...rangeOf(context), filters }
}

export function rangeOf(context: CommandContext): Pick<UsageQuery, 'from' | 'to'> {
  const now = Date.now()
  const [from, to] = (['from', 'to'] as const).map((flag) => {
    const text = stringFlag(context, flag)
    if (text === undefined) return undefined
    const length = durationOf(text)
    const at = length === undefined ? timestampOf(text) : now - length
    if (at === undefined)
      throw usageError(`--${flag}: found ${JSON.stringify(text)}; allowed: a date such as 2026-11-01, or 7d, 24h, 30m`)
    return at
  })
  return { from, to }
}

/** Id of a stored or configured key. */
async function keyId(context: CommandContext, reference: string): Promise<string> {
  const settings = await settingsOf(context)
  return findKey(await withStore(context, (store) => allKeys(settings, store)), reference).id
}

/** Id of a stored project, found by id or name; otherwise the reference, which the configuration may name. */
async function projectId(context: CommandContext, reference: string): Promise<string> {
  return (
    (await withOperator(context, async (operator) => projectIn(await projectsOf(operator), reference)))?.id ?? reference
  )
}

export const DIMENSIONS: readonly UsageDimension[] = [
  'model',
  'provider',
  'key',
  'project',
  'environment',
  'member',
  'family',
  'status',
]

/** Grouping of sums: a time step and up to two dimensions. */
export interface Grouping {
  readonly step: 'hour' | 'day' | undefined
  readonly by: readonly UsageDimension[]
}

export function groupingOf(text: string): Grouping {
  const words = text.split(',').map((word) => word.trim())
  const steps = words.filter((word): word is 'hour' | 'day' => word === 'hour' || word === 'day')
  const by = DIMENSIONS.filter((dimension) => words.includes(dimension))
  if (steps.length > 1 || by.length > 2 || steps.length + by.length !== words.length)
    throw usageError(
      `--by: found ${JSON.stringify(text)}; allowed: day or hour, and up to two of ${DIMENSIONS.join(', ')}, such as day,model`,
    )
  return { step: steps[0], by }
}
