import type { EnvironmentSource, ProviderAdapter } from '../../packages/core/src/contract/provider.ts'
import type { BackendAdapter } from '../../packages/core/src/contract/search.ts'

type Described = Pick<ProviderAdapter | BackendAdapter, 'config' | 'enable'> & {
  readonly env: Readonly<Record<string, readonly EnvironmentSource[]>>
}

/** Values of which fields take at least one. */
const VALUES = ['x', 'https://x.example', 'gs://x/', '1']
/** Most fields that are looked at together. */
const MOST = 3

/** The fewest variables with which an adapter is used that the configuration does not name: each way in one string. */
export function waysOf(adapter: Described): string[] {
  if (adapter.enable === 'last-resort' || (adapter.enable !== 'asked' && accepts(adapter, []))) return []
  const fields = Object.keys(adapter.env)
  const sets: string[][] = []
  for (let size = 1; size <= MOST; size += 1)
    for (const set of combinations(fields, size)) {
      const isSmallest = !sets.some((smaller) => smaller.every((field) => set.includes(field)))
      if (isSmallest && (adapter.enable !== 'asked' || set.includes('apiKey')) && accepts(adapter, set)) sets.push(set)
    }
  return sets.flatMap((set) =>
    product(set.map((field) => variablesOf(adapter.env[field] ?? []))).map((way) => way.join(' ')),
  )
}

function accepts({ config }: Described, fields: readonly string[]): boolean {
  const value = Object.fromEntries(
    fields.map((field) => [field, VALUES.find((one) => takes(config, field, one)) ?? '']),
  )
  return config.safeParse(value).success
}

function takes(config: Described['config'], field: string, value: string): boolean {
  return !config.safeParse({ [field]: value }).error?.issues.some(({ path }) => path[0] === field)
}

function variablesOf(sources: readonly EnvironmentSource[]): string[] {
  return sources.map((source) => (typeof source === 'string' ? source : source.file))
}

function combinations<T>(all: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return all.flatMap((one, index) => combinations(all.slice(index + 1), size - 1).map((rest) => [one, ...rest]))
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])), [[]])
}
