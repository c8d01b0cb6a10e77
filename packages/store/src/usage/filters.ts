import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { dimension, LONGEST, storable } from '../database/group.ts'

/** Values of which a field must have one, or none with `isNot`. */
export interface ValueFilter<Value extends string | number = string> {
  readonly values: readonly Value[]
  readonly isNot?: boolean | undefined
}

/** Filter by one value, or by several. */
export type OneOf<Value extends string | number = string> = Value | ValueFilter<Value>

/** Bounds of a number, both inclusive. A row without the number does not match. */
export interface Bounds {
  readonly least?: number | undefined
  readonly most?: number | undefined
}

/** Filters of usage. A row must match all of them. */
export interface UsageFilters {
  /** Id of a key. */
  readonly key?: string | undefined
  /** Owners of the key: id of the project, name of the environment, id of the member. */
  readonly project?: string | undefined
  readonly environment?: string | undefined
  readonly member?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** Name of an endpoint of a provider. */
  readonly endpoint?: string | undefined
  readonly family?: string | undefined
  readonly status?: number | undefined
  /** Kind of the failure. */
  readonly failure?: string | undefined
  /** Tag that the row must have, with this value if one is given. */
  readonly tag?: { readonly name: string; readonly value?: string | undefined } | undefined
}

/** Names of the filters by several values. */
export const VALUE_FILTERS = [
  'key',
  'project',
  'environment',
  'member',
  'model',
  'provider',
  'endpoint',
  'family',
  'failure',
  'outcome',
  'why',
  'user',
  'session',
] as const

/** Filters of rows of usage, each by one value or by several. {@link UsageFilters} are a part of them. */
export interface RowFilters
  extends Pick<UsageFilters, 'tag'>,
    Partial<Readonly<Record<(typeof VALUE_FILTERS)[number], OneOf | undefined>>> {
  readonly status?: OneOf<number> | undefined
  readonly stream?: boolean | undefined
  /** Cost of all attempts in nano-dollars. */
  readonly cost?: Bounds | undefined
  /** Duration in milliseconds. */
  readonly duration?: Bounds | undefined
  /** Input and output tokens together. */
  readonly tokens?: Bounds | undefined
  /** Only rows of keys of this person; in addition to `member`. */
  readonly onlyMember?: string | undefined
  /** Only rows of keys of these projects; in addition to `project`. */
  readonly onlyProject?: OneOf | undefined
}

export type Conditions = readonly RawBuilder<boolean>[]

const OWNERS = ['project', 'environment', 'member'] as const

/** Input and output tokens of a row of `usage`; null if neither is known. */
export const TOKENS_OF_ROW =
  'CASE WHEN input IS NULL AND output IS NULL THEN NULL ELSE COALESCE(input, 0) + COALESCE(output, 0) END'

/** Conditions on dimensions, as stored in roll-ups and in `usage_groups`. */
export function ofDimensions(filters: RowFilters): Conditions {
  const { key, model, provider, family, status } = filters
  const texts = { principal: key, model, provider, family }
  return [
    ...Object.entries(texts).flatMap(([name, value]) =>
      value === undefined || isLongNegation(value) ? [] : [among(name, value, dimension)],
    ),
    ...ofStatus(status),
    ...(isOnlyFailed(filters) ? [sql<boolean>`(status < 200 OR status >= 400)`] : []),
    ...ofOwners(filters),
  ]
}

/** Conditions on rows of `usage`. */
export function ofRows(filters: RowFilters): Conditions {
  const { key, model, provider, family, status } = filters
  const texts = { principal: key, model, provider, family }
  return [
    ...Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [among(name, value, storable)])),
    ...ofStatus(status),
    ...ofOwners(filters),
  ]
}

/** Conditions that no index covers: rows must be read. */
export function ofRowsAlone(kind: StoreConnection['kind'], filters: RowFilters): Conditions {
  const { endpoint, failure, outcome, why, user, session, tag, stream, cost, duration, tokens } = filters
  const texts = { endpoint, failure, outcome, why, end_user: user, session }
  return [
    ...Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [among(name, value, storable)])),
    ...(stream === undefined ? [] : [sql<boolean>`stream = ${Number(stream)}`]),
    ...within(sql.ref('cost'), cost),
    ...within(sql.ref('duration_ms'), duration),
    ...within(sql.raw(`(${TOKENS_OF_ROW})`), tokens),
    ...(tag ? [ofTag(kind, tag)] : []),
  ]
}

/** True if a name may be truncated in groups, so that rows must be compared as well. */
export function isLong({ key, model, provider, family }: RowFilters): boolean {
  return [key, model, provider, family].some((name) => name !== undefined && valuesOf(name).some(isLongName))
}

export function all(conditions: Conditions): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` AND `)})` : sql`TRUE`
}

/** True if a filter by several values allows this value; a filter that is absent allows every value. */
export function allows(filter: OneOf | undefined, value: string): boolean {
  if (filter === undefined) return true
  if (typeof filter === 'string') return filter === value
  return filter.values.includes(value) !== (filter.isNot ?? false)
}

function valuesOf<Value extends string | number>(filter: OneOf<Value>): readonly Value[] {
  return typeof filter === 'object' ? filter.values : [filter]
}

function isLongName(name: string): boolean {
  return name.length >= LONGEST
}

/** True if groups cannot be excluded by these names: another name may begin alike. */
function isLongNegation(filter: OneOf): boolean {
  return typeof filter === 'object' && filter.isNot === true && filter.values.some(isLongName)
}

/** True if only failed requests match, so that the status narrows the search. */
function isOnlyFailed({ outcome }: RowFilters): boolean {
  return outcome !== undefined && !Object(outcome).isNot && valuesOf(outcome).every((one) => one === 'failed')
}

/** Condition that a column has one of the values, or none of them. A column without a value has none of them. */
function among<Value extends string | number>(
  column: string,
  filter: OneOf<Value>,
  stored: (value: Value) => string | number,
): RawBuilder<boolean> {
  const name = sql.ref(column)
  const values = valuesOf(filter).map((value) => sql`${stored(value)}`)
  const isNot = typeof filter === 'object' && filter.isNot === true
  if (isNot) return sql<boolean>`(${name} IS NULL OR ${name} NOT IN (${sql.join(values)}))`
  return values.length === 1 ? sql<boolean>`${name} = ${values[0]}` : sql<boolean>`${name} IN (${sql.join(values)})`
}

function ofStatus(status: RowFilters['status']): Conditions {
  return status === undefined ? [] : [among('status', status, (value) => value)]
}

function within(value: RawBuilder<unknown>, { least, most }: Bounds = {}): Conditions {
  return [
    ...(least === undefined ? [] : [sql<boolean>`${value} >= ${least}`]),
    ...(most === undefined ? [] : [sql<boolean>`${value} <= ${most}`]),
  ]
}

function ofOwners(filters: RowFilters): Conditions {
  const given: readonly (readonly [string, OneOf | undefined])[] = [
    ...OWNERS.map((name) => [name, filters[name]] as const),
    ['member', filters.onlyMember],
    ['project', filters.onlyProject],
  ]
  return given.flatMap(([name, filter]) => {
    if (filter === undefined) return []
    const own = among(name, { values: valuesOf(filter) }, storable)
    const known = sql`(SELECT id FROM principals WHERE ${own})`
    const isNot = typeof filter === 'object' && filter.isNot === true
    return [isNot ? sql<boolean>`principal NOT IN ${known}` : sql<boolean>`principal IN ${known}`]
  })
}

function ofTag(kind: StoreConnection['kind'], { name, value }: NonNullable<UsageFilters['tag']>): RawBuilder<boolean> {
  const [tag, wanted] = [dimension(name), value === undefined ? undefined : dimension(value)]
  if (kind === 'postgres') {
    const held = sql`tags::json ->> ${tag}::text`
    return wanted === undefined ? sql`${held} IS NOT NULL` : sql`${held} = ${wanted}`
  }
  const same = wanted === undefined ? sql`TRUE` : sql`value = ${wanted}`
  return sql`EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ${tag} AND ${same})`
}
