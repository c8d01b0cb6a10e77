import type { EndpointConfig } from '@headgate/discovery'
import type { ImportedConfig } from './config.ts'
import type { Deployment, DeploymentLimits, PlacedLimit } from './deployment.ts'
import type { LiteLLMEntry, LiteLLMFile } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

/** Limits of a deployment → limits of a model. @see https://docs.litellm.ai/docs/proxy/load_balancing */
const LIMITS = { rpm: 'requestsPerMinute', tpm: 'tokensPerMinute', max_parallel_requests: 'concurrent' } as const
type Limit = keyof DeploymentLimits
/** Limits of an endpoint. */
export type ImportedLimits = NonNullable<EndpointConfig['limits']>

const NAMES = Object.keys(LIMITS) as readonly Limit[]
const MOST = 2 ** 31
/** Calendar periods by LiteLLM's durations. @see https://docs.litellm.ai/docs/proxy/users */
const PERIODS: Readonly<Record<string, string>> = {
  '1d': 'day',
  '24h': 'day',
  daily: 'day',
  '7d': 'week',
  '1w': 'week',
  weekly: 'week',
  '30d': 'month',
  '31d': 'month',
  '1mo': 'month',
  monthly: 'month',
}

const CARRIED =
  'limits the calls of an endpoint (`limits`): further requests use the next endpoint, wait for at most a second, or get a 429'
const BUDGET =
  'becomes a budget of all keys together (`budgets.organization`): it follows calendar days, weeks or months, and refuses requests of unknown cost'

/** True if a parameter of a deployment is a limit. */
export function isLimit(parameter: string): boolean {
  return Object.hasOwn(LIMITS, parameter)
}

/** Limits of an entry of `model_list`, from `litellm_params`, `model_info` or the defaults. */
export function deploymentLimits(
  { litellm_params: params, model_info: info }: LiteLLMEntry,
  path: readonly PropertyKey[],
  { router_settings: router }: LiteLLMFile,
): DeploymentLimits {
  const given = NAMES.flatMap((name): [Limit, PlacedLimit][] => {
    const places: [unknown, PropertyKey[]][] = [
      [params[name], [...path, 'litellm_params', name]],
      [info?.[name], [...path, 'model_info', name]],
      [router?.[`default_${name}`], ['router_settings', `default_${name}`]],
    ]
    const [value, at = []] = places.find(([one]) => one !== undefined && one !== null) ?? []
    return typeof value === 'number' && Number.isInteger(value) && value > 0 ? [[name, { value, path: at }]] : []
  })
  return Object.fromEntries(given)
}

/** Limits of one endpoint for its deployments; undefined = none. A limit applies if each of them has it. */
export function limitsOf(deployments: readonly Deployment[]): ImportedLimits | undefined {
  const limits = NAMES.flatMap((name): [string, number][] => {
    const values = deployments.flatMap(({ limits }) => limits[name]?.value ?? [])
    const sum = values.reduce((total, value) => total + value, 0)
    return values.length === deployments.length ? [[LIMITS[name], Math.min(sum, MOST)]] : []
  })
  return limits.length > 0 ? Object.fromEntries(limits) : undefined
}

/** Limit of all models together. Limits of deployments become limits of endpoints. */
export function carriedLimits(
  file: LiteLLMFile,
  deployments: readonly Deployment[],
  { remark }: UpstreamContext,
): Pick<ImportedConfig, 'limits'> {
  for (const { path } of deployments.flatMap(({ limits }) => Object.values(limits))) remark('otherwise', path, CARRIED)
  const all = file.general_settings?.['global_max_parallel_requests']
  return typeof all === 'number' && Number.isInteger(all) && all > 0
    ? { limits: { models: { '*': { concurrent: Math.min(all, MOST) } } } }
    : {}
}

/** Budget of LiteLLM's proxy. 0 means no budget. @see https://docs.litellm.ai/docs/proxy/users#global-proxy */
export function carriedBudget(
  { litellm_settings: settings }: LiteLLMFile,
  { remark }: UpstreamContext,
): Pick<ImportedConfig, 'budgets'> {
  const dollars = settings?.['max_budget']
  const duration = settings?.['budget_duration'] ?? undefined
  if (dollars === undefined || dollars === null || dollars === 0) return {}
  const path = ['litellm_settings', 'max_budget']
  const period = duration === undefined ? 'forever' : PERIODS[String(duration)]
  const text = typeof dollars === 'number' && dollars > 0 ? dollarsText(dollars) : undefined
  if (text === undefined)
    remark(
      'left',
      path,
      'is not an amount of US dollars with up to nine decimals: set `budgets.organization` (docs/budgets.md)',
    )
  else if (period === undefined)
    remark(
      'left',
      ['litellm_settings', 'budget_duration'],
      'budgets reset daily, weekly, monthly or never: set `budgets.organization` (docs/budgets.md)',
    )
  else remark('otherwise', path, BUDGET)
  return text === undefined || period === undefined
    ? {}
    : { budgets: { organization: [period === 'forever' ? text : `${text}/${period}`] } }
}

/** Decimal text of an amount; undefined if it has more than nine decimals. */
function dollarsText(amount: number): string | undefined {
  const text = amount < 1e-6 ? amount.toFixed(9) : String(amount)
  return /^\d{1,10}(?:\.\d{1,9})?$/.test(text) && Number(text) === amount ? text : undefined
}
