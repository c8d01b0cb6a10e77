import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { endpointNames, modelsQuery, providersQuery } from '../../api/models.ts'
import { useKeyNames, useMemberNames } from '../../api/names.ts'
import type { RequestRow } from '../../api/usage.ts'
import type { ComboboxOption } from '../../components/combobox.tsx'
import { FAILURES } from '../../failures.ts'
import { LABELS } from '../../labels.ts'
import type { FilterName, ListName, RequestFilters } from './search.ts'

/** Filter with a list of values, except the outcome, which has buttons. */
export type ValueName = Exclude<ListName, 'outcome'>

/** Filter with a minimum and a maximum. */
export type BoundName = 'cost' | 'duration' | 'tokens'

/** Filter with one value. */
export type SingleName = 'tag' | 'stream'

/** Kind of filter that can be added. */
export type FilterKind = ValueName | BoundName | SingleName

export const FILTER_TITLES: Readonly<Record<FilterKind, string>> = {
  model: LABELS.model,
  provider: LABELS.provider,
  key: LABELS.key,
  member: LABELS.owner,
  failure: LABELS.failure,
  why: LABELS.billing,
  status: LABELS.status,
  family: LABELS.family,
  endpoint: LABELS.endpoint,
  stream: LABELS.streamed,
  user: LABELS.endUser,
  session: LABELS.session,
  tag: LABELS.tag,
  cost: LABELS.cost,
  duration: LABELS.duration,
  tokens: LABELS.tokens,
}

export const FILTER_KINDS = Object.keys(FILTER_TITLES) as readonly FilterKind[]

/** Parameters of the minimum and the maximum of an amount. */
export const BOUND_NAMES = {
  cost: ['minCost', 'maxCost'],
  duration: ['minMs', 'maxMs'],
  tokens: ['minTokens', 'maxTokens'],
} as const satisfies Readonly<Record<BoundName, readonly [FilterName, FilterName]>>

export function isBound(kind: FilterKind): kind is BoundName {
  return Object.hasOwn(BOUND_NAMES, kind)
}

/** Filters that an address has. */
export function activeKinds(filters: RequestFilters): readonly FilterKind[] {
  return FILTER_KINDS.filter((kind) =>
    isBound(kind) ? BOUND_NAMES[kind].some((name) => filters[name] !== undefined) : filters[kind] !== undefined,
  )
}

/** Change that removes a filter. */
export function without(kind: FilterKind): RequestFilters {
  return isBound(kind) ? Object.fromEntries(BOUND_NAMES[kind].map((name) => [name, undefined])) : { [kind]: undefined }
}

/** Values that a filter offers. */
export interface FilterValues {
  readonly options: readonly ComboboxOption[]
  /** True if other values can be typed, because rows can have values that are no longer in the catalog. */
  readonly allowsOther: boolean
}

const plain = (values: readonly string[]): ComboboxOption[] => values.map((value) => ({ value, title: value }))

const STATUSES: readonly ComboboxOption[] = [
  { value: '200', title: '200', hint: 'OK' },
  { value: '400', title: '400', hint: 'invalid request' },
  { value: '401', title: '401', hint: 'wrong API key' },
  { value: '403', title: '403', hint: 'not permitted' },
  { value: '404', title: '404', hint: 'not found' },
  { value: '413', title: '413', hint: 'too large' },
  { value: '429', title: '429', hint: 'limit exceeded' },
  { value: '499', title: '499', hint: 'canceled' },
  { value: '500', title: '500', hint: 'internal error' },
  { value: '502', title: '502', hint: 'provider error' },
  { value: '503', title: '503', hint: 'unavailable' },
  { value: '504', title: '504', hint: 'timeout' },
]
/** Reasons why a request is billed, or not. */
const BILLING: Readonly<Record<string, string>> = {
  served: 'billed: completed',
  canceled: 'canceled: partly billed',
  cut: 'cut off: partly billed',
  failed: 'not served',
  empty: 'empty search',
  expired: 'expired task',
  cached: 'cached search',
  'usage-unknown': 'usage unknown',
  'price-unknown': 'price unknown',
  lost: 'outcome unknown',
}
const FIXED: Partial<Readonly<Record<FilterKind, FilterValues>>> = {
  status: { options: STATUSES, allowsOther: true },
  failure: {
    options: Object.entries(FAILURES).map(([value, title]) => ({ value, title })),
    allowsOther: false,
  },
  why: { options: Object.entries(BILLING).map(([value, title]) => ({ value, title })), allowsOther: false },
  family: { options: plain(['chat', 'embeddings', 'rerank', 'search', 'video']), allowsOther: false },
  stream: {
    options: [
      { value: 'true', title: 'yes' },
      { value: 'false', title: 'no' },
    ],
    allowsOther: false,
  },
}

/**
 * Values that the filters offer: from the catalog, and from the loaded rows.
 * @param rows loaded rows, for their tags and names
 */
export function useFilterValues(
  isWanted: boolean,
  rows: readonly RequestRow[],
): (kind: Exclude<FilterKind, BoundName>) => FilterValues {
  const models = useQuery({ ...modelsQuery, enabled: isWanted }).data?.items
  const providers = useQuery({ ...providersQuery, staleTime: 60_000, refetchInterval: false }).data?.items
  const keys = useKeyNames(isWanted)
  const members = useMemberNames(isWanted)
  return useMemo(() => {
    const names = new Set((models ?? []).flatMap((model) => model.providers.map(({ provider }) => provider)))
    const values: Partial<Record<FilterKind, FilterValues>> = {
      model: { options: plain((models ?? []).map(({ id }) => id)), allowsOther: true },
      provider: { options: plain([...names].sort()), allowsOther: true },
      endpoint: { options: plain(endpointNames(providers ?? [])), allowsOther: true },
      key: { options: named(keys, rows, ({ principal, keyName }) => [principal, keyName]), allowsOther: true },
      member: { options: named(members, rows, ({ member, memberName }) => [member, memberName]), allowsOther: true },
      tag: { options: plain(tagsOf(rows)), allowsOther: true },
      user: { options: claimed(rows, ({ endUser }) => endUser), allowsOther: true },
      session: { options: claimed(rows, ({ session }) => session), allowsOther: true },
    }
    return (kind) => FIXED[kind] ?? values[kind] ?? { options: [], allowsOther: true }
  }, [models, providers, keys, members, rows])
}

function named(
  known: ReadonlyMap<string, string>,
  rows: readonly RequestRow[],
  nameOf: (row: RequestRow) => readonly [id: string | null, name: string | null],
): readonly ComboboxOption[] {
  const all = new Map(known)
  for (const row of rows) {
    const [id, name] = nameOf(row)
    if (id !== null && !all.has(id)) all.set(id, name ?? id)
  }
  return [...all].map(([value, title]) => ({ value, title }))
}

function claimed(rows: readonly RequestRow[], claimOf: (row: RequestRow) => string | null): readonly ComboboxOption[] {
  return plain([...new Set(rows.flatMap((row) => claimOf(row) ?? []))].sort())
}

/** Tags of rows as `team=a`, and their names. */
function tagsOf(rows: readonly RequestRow[]): readonly string[] {
  const tags = new Set<string>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row.tags ?? {})) tags.add(name).add(`${name}=${value}`)
  return [...tags].sort()
}

/** Reason why a typed value cannot match; undefined = it can. */
export function valueError(kind: Exclude<FilterKind, BoundName>, values: readonly string[]): string | undefined {
  if (kind === 'status' && values.some((value) => !/^[1-5]\d\d$/.test(value)))
    return 'A status has three digits, such as 429.'
  if (kind === 'tag' && values.some((value) => !/^[a-z0-9_.-]{1,32}(?:=.{0,64})?$/.test(value)))
    return 'A tag is a name, or a name and a value: team=search.'
  return undefined
}
