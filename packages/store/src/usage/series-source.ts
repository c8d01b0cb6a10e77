import { HeadgateError } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { dimension, storable } from '../database/group.ts'
import { DIMENSIONS, FAILED_REQUESTS, FAILED_ROLL_UPS } from '../schema/usage.ts'
import { all, ofDimensions } from './filters.ts'
import { rowMeasures } from './row-sums.ts'
import type { SeriesQuery, UsageDimension } from './series-query.ts'

/** Source of the sums of a series: a roll-up `u`, joined with the owners `p` of its keys if needed. */
export interface SeriesSource {
  readonly table: string
  /** SQL of the table if it is computed from rows. */
  readonly made?: RawBuilder<unknown> | undefined
  readonly isOwned: boolean
  /** SQL of the group names. */
  readonly names: readonly RawBuilder<unknown>[]
  /** True if an empty name means unknown, for each name. */
  readonly isUnknown: readonly boolean[]
  /** SQL of failed requests; undefined if they are unknown. */
  readonly failed: string | undefined
  readonly where: RawBuilder<boolean>
  /** Name of the group that has all remaining rows of the roll-up. */
  readonly rest: string | undefined
  /** Smallest source of the totals of all groups. */
  readonly totals: Pick<SeriesSource, 'table' | 'failed'> & { readonly made?: RawBuilder<unknown> | undefined }
}

const MINUTE = 60_000

const OWNERS: ReadonlySet<string> = new Set(['project', 'environment', 'member'])
/** Roll-ups with a column of failed requests. */
const HAS_FAILED: ReadonlySet<string> = new Set(FAILED_ROLL_UPS)
const COLUMNS: Readonly<Record<UsageDimension, RawBuilder<unknown>>> = {
  model: sql`u.model`,
  provider: sql`u.provider`,
  key: sql`u.principal`,
  project: sql`coalesce(p.project, '')`,
  environment: sql`coalesce(p.environment, '')`,
  member: sql`coalesce(p.member, '')`,
  family: sql`u.family`,
  status: sql`u.status`,
}

/** Source of a query. @throws HeadgateError `invalid-request` that names the field */
export function sourceOf(kind: StoreConnection['kind'], query: SeriesQuery): SeriesSource {
  const { by } = query
  if (query.top !== undefined && !(Number.isSafeInteger(query.top) && query.top > 0))
    throw invalid('top', '`top` must be a whole number of at least 1.')
  if (typeof by === 'object' && 'tag' in by) return ofTag(query, by.tag)
  const source = ofDimension(query, typeof by === 'string' ? [by] : by)
  if (query.step !== 'minute') return source
  const made = { table: 'usage', made: rowsBetween(kind, { from: minuteAt(query.from), to: query.to }) }
  return { ...source, ...made, totals: { ...source.totals, ...made } }
}

/** Roll-up by minutes, computed from the rows of a range in Unix milliseconds. */
export function rowsBetween(
  kind: StoreConnection['kind'],
  { from, to }: Pick<SeriesQuery, 'from' | 'to'>,
): RawBuilder<unknown> {
  const measures = rowMeasures(kind, 'r').map(([name, value]) => `coalesce(${value}, 0) AS ${name}`)
  const dimensions = DIMENSIONS.map((name) => `g.${name}`)
  const columns = [`(r.at / ${MINUTE}) * ${MINUTE} AS minute`, ...dimensions, ...measures].join(', ')
  return sql`(SELECT ${sql.raw(columns)} FROM usage AS r JOIN usage_groups AS g ON g.id = r.group_id
    WHERE r.at >= ${from} AND r.at < ${to})`
}

/** Start of a minute. */
export function minuteAt(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE
}

function ofDimension({ step, filters = {} }: SeriesQuery, by: readonly UsageDimension[]): SeriesSource {
  const isKnown = by.every((one) => Object.hasOwn(COLUMNS, one))
  if (!isKnown || by.length === 0 || by.length > 2 || new Set(by).size < by.length)
    throw invalid('by', `\`by\` must be one or two of ${Object.keys(COLUMNS).join(', ')}, each once, or one tag.`)
  refuseOthers(
    filters,
    ['key', 'project', 'environment', 'member', 'model', 'provider', 'family', 'status'],
    'Usage sums',
  )
  const needsOwners = by.some((one) => OWNERS.has(one))
  const filtered = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const sourceFor = (fields: readonly string[]) => {
    const table = step === 'day' ? daysOf(fields) : 'usage_hours'
    return { table, failed: HAS_FAILED.has(table) ? 'u.failed' : FAILED_REQUESTS }
  }
  return {
    ...sourceFor([...by, ...filtered]),
    isOwned: needsOwners,
    names: by.map((one) => COLUMNS[one]),
    isUnknown: by.map((one) => OWNERS.has(one)),
    where: all(ofDimensions(filters)),
    rest: undefined,
    totals: sourceFor(filtered),
  }
}

/** Smallest table of days that has all dimensions. */
function daysOf(dimensions: readonly string[]): string {
  const has = (...names: readonly string[]) => dimensions.some((one) => names.includes(one))
  if (!has('key', ...OWNERS)) return 'usage_model_days'
  if (!has('family', 'status')) return has('model', 'provider') ? 'usage_key_model_days' : 'usage_key_days'
  return has('model', 'provider') ? 'usage_days' : 'usage_key_status_days'
}

function ofTag({ step, filters = {} }: SeriesQuery, tag: string): SeriesSource {
  if (step === 'minute') throw invalid('step', 'Sums by tag support hours and days, not minutes.')
  refuseOthers(filters, ['project'], 'Sums by tag')
  const { project } = filters
  const table = step === 'hour' ? 'usage_tag_hours' : 'usage_tag_days'
  return {
    table,
    isOwned: false,
    names: [sql`u.value`],
    isUnknown: [false],
    failed: undefined,
    where: all([
      sql<boolean>`u.tag = ${dimension(tag)}`,
      ...(project === undefined ? [] : [sql<boolean>`u.project = ${storable(project)}`]),
    ]),
    rest: '',
    totals: { table, failed: undefined },
  }
}

function refuseOthers(filters: object, known: readonly string[], who: string): void {
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined && !known.includes(name))
      throw invalid(name, `${who} cannot be filtered by \`${name}\`, only by ${known.join(', ')}.`)
}

function invalid(param: string, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}
