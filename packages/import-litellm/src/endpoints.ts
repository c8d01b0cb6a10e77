import type { EndpointConfig } from '@headgate/discovery'
import type { Deployment } from './deployment.ts'
import { type ImportedLimits, limitsOf } from './limits.ts'
import { slug } from './serving.ts'
import type { Shares } from './shares.ts'
import { hostName } from './upstream.ts'

/** Adapter's fields of a provider, and its endpoints if it has more than one or its only one has properties. */
export interface ProviderEndpoints {
  readonly fields: Readonly<Record<string, unknown>>
  readonly endpoints?: readonly EndpointConfig[]
  /** True if the endpoints have different accounts, and weights. Otherwise targets of aliases have the weights. */
  readonly isPooled: boolean
}

/** Part of an account with the same share of the requests: one endpoint. */
interface AccountPart {
  readonly fields: Deployment['fields']
  /** Models that it serves; undefined = all of the provider. */
  readonly models: readonly string[] | undefined
  readonly weight: number
  readonly rank: number
  readonly region: string | undefined
  readonly limits: ImportedLimits | undefined
  /** Name of the account if it has several endpoints. */
  readonly account: string | undefined
}

const ANY = '*'
const NO_SHARES: Shares = { weights: new Map(), ranks: new Map() }

/** Key of the account of a deployment: deployments with the same adapter, credentials and location share an account. */
export function accountOf({ adapter, fields }: Deployment): string {
  return JSON.stringify([adapter.id, fields])
}

/** Endpoints of a provider for its deployments. */
export function endpointsOf(deployments: readonly Deployment[], shares: Shares): ProviderEndpoints {
  const models = new Set(deployments.map(({ model }) => model))
  const accounts = [...Map.groupBy(deployments, accountOf).values()]
  const isPooled = accounts.length > 1
  const parts = accounts.flatMap((account, index) => partsOf(account, models, index, isPooled ? shares : NO_SHARES))
  const [first, ...others] = parts
  if (!first) return { fields: {}, isPooled }
  if (others.length === 0 && !first.limits && first.region === undefined) return { fields: first.fields, isPooled }
  const common = Object.entries(first.fields).filter(([field, value]) =>
    others.every(({ fields }) => JSON.stringify(fields[field]) === JSON.stringify(value)),
  )
  const fields = Object.fromEntries(common)
  const least = Math.min(...parts.map(({ rank }) => rank))
  const names = namesOf(parts, fields)
  const endpoints = parts.map((part, index): EndpointConfig => {
    const { models, weight, rank, region, limits, account } = part
    const own = Object.entries(part.fields).filter(([field]) => !Object.hasOwn(fields, field))
    return {
      name: names[index] ?? String(index + 1),
      ...Object.fromEntries(own),
      ...(region !== undefined && { region }),
      ...(weight !== 1 && { weight }),
      ...(rank > least && { priority: rank - least }),
      ...(account !== undefined && { group: account }),
      ...(models && { models }),
      ...(limits && { limits }),
    }
  })
  return { fields, endpoints, isPooled }
}

/** Endpoints of one account. Models with limits have an endpoint each, since limits apply to an endpoint as a whole. */
function partsOf(
  account: readonly Deployment[],
  all: ReadonlySet<string>,
  index: number,
  { weights, ranks }: Shares,
): AccountPart[] {
  const units = [...Map.groupBy(account, ({ model }) => model)].map(([model, own]) => {
    const shares = own.flatMap((one) => (one.group === own[0]?.group ? (weights.get(one) ?? []) : []))
    return {
      model,
      weight: shares.reduce((sum, share) => sum + share, 0) || 1,
      rank: Math.min(...own.map((one) => ranks.get(one) ?? 0)),
      region: own.find(({ region }) => region !== undefined)?.region,
      limits: limitsOf(own),
    }
  })
  const parts = [
    ...Map.groupBy(units, ({ model, weight, rank, region, limits }) =>
      JSON.stringify([weight, rank, region, limits && model]),
    ).values(),
  ]
  return parts.flatMap((part) => {
    const [first] = part
    if (!first) return []
    const models = part.map(({ model }) => model)
    const isWhole = models.includes(ANY) || models.length === all.size
    const { weight, rank, region, limits } = first
    const own = parts.length > 1 ? `account-${index + 1}` : undefined
    const fields = account[0]?.fields ?? {}
    return [{ fields, models: isWhole ? undefined : models, weight, rank, region, limits, account: own }]
  })
}

/** Names of endpoints: their region or host if these differ, else their position. */
function namesOf(parts: readonly AccountPart[], common: Readonly<Record<string, unknown>>): string[] {
  const names: string[] = []
  for (const [index, { fields, region }] of parts.entries()) {
    const differing = (field: string): unknown => (Object.hasOwn(common, field) ? undefined : fields[field])
    const places = [region, differing('region'), differing('location'), hostOf(differing('baseUrl'))]
    const place = places.find((one) => typeof one === 'string' && !one.startsWith('${'))
    const wanted = slug(String(place ?? '')) || (parts.length > 1 ? String(index + 1) : 'main')
    names.push(names.includes(wanted) ? `${wanted}-${index + 1}` : wanted)
  }
  return names
}

function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? hostName(url, '') : undefined
}
