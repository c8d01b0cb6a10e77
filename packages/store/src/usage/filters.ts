import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { dimension, LONGEST, storable } from '../database/group.ts'

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

export type Conditions = readonly RawBuilder<boolean>[]

const OWNERS = ['project', 'environment', 'member'] as const

/** Conditions on dimensions, as stored in roll-ups and in `usage_groups`. */
export function ofDimensions({ key, model, provider, family, status, ...owners }: UsageFilters): Conditions {
  const texts = { principal: key, model, provider, family }
  return [
    ...Object.entries(texts).flatMap(([name, value]) =>
      value === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${dimension(value)}`],
    ),
    ...(status === undefined ? [] : [sql<boolean>`status = ${status}`]),
    ...ofOwners(owners),
  ]
}

/** Conditions on rows of `usage`. */
export function ofRows({ key, model, provider, family, status, ...owners }: UsageFilters): Conditions {
  const texts = { principal: key, model, provider, family }
  return [
    ...Object.entries(texts).flatMap(([name, value]) =>
      value === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${storable(value)}`],
    ),
    ...(status === undefined ? [] : [sql<boolean>`status = ${status}`]),
    ...ofOwners(owners),
  ]
}

/** Conditions that no index covers: rows must be read. */
export function ofRowsAlone(kind: StoreConnection['kind'], { endpoint, failure, tag }: UsageFilters): Conditions {
  return [
    ...(endpoint === undefined ? [] : [sql<boolean>`endpoint = ${storable(endpoint)}`]),
    ...(failure === undefined ? [] : [sql<boolean>`failure = ${storable(failure)}`]),
    ...(tag ? [ofTag(kind, tag)] : []),
  ]
}

/** True if a name may be truncated in groups, so that rows must be compared as well. */
export function isLong({ key, model, provider, family }: UsageFilters): boolean {
  return [key, model, provider, family].some((name) => name !== undefined && name.length >= LONGEST)
}

export function all(conditions: Conditions): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` AND `)})` : sql`TRUE`
}

function ofOwners(filters: UsageFilters): Conditions {
  const own = OWNERS.flatMap((name) =>
    filters[name] === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${storable(filters[name])}`],
  )
  return own.length > 0 ? [sql<boolean>`principal IN (SELECT id FROM principals WHERE ${all(own)})`] : []
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
