import type { ImportedConfig, ImportedRateLimit } from './config.ts'
import type { Deployment, DeploymentLimits, PlacedLimit } from './deployment.ts'
import { isSection, type LiteLLMEntry, type LiteLLMFile } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

/** Limits of a deployment → limits of a model. @see https://docs.litellm.ai/docs/proxy/load_balancing */
const LIMITS = { rpm: 'requestsPerMinute', tpm: 'tokensPerMinute', max_parallel_requests: 'concurrent' } as const
type Limit = keyof DeploymentLimits

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
  'limits requests of all keys to the alias (`limits.models`): its deployments count together, and further requests get a 429'
const PARTIAL = 'limits only some deployments of an alias, or any model: set `limits.models` (docs/rate-limits.md)'
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

/** Limits of models. The limit of an alias is the sum over its deployments. */
export function carriedLimits(
  file: LiteLLMFile,
  deployments: readonly Deployment[],
  context: UpstreamContext,
): Pick<ImportedConfig, 'limits'> {
  const groups = Map.groupBy(deployments, ({ alias }) => alias)
  const models = new Map(
    [...groups].flatMap(([alias, group]): [string, ImportedRateLimit][] => {
      const limit = groupLimit(alias, group, context)
      return Object.keys(limit).length > 0 ? [[alias, limit]] : []
    }),
  )
  const all = file.general_settings?.['global_max_parallel_requests']
  if (typeof all === 'number' && Number.isInteger(all) && all > 0)
    models.set('*', { ...models.get('*'), concurrent: Math.min(all, MOST) })
  remarkAliases(file, models, context)
  return models.size > 0 ? { limits: { models: Object.fromEntries(models) } } : {}
}

function groupLimit(alias: string, group: readonly Deployment[], { remark }: UpstreamContext): ImportedRateLimit {
  const limit: ImportedRateLimit = {}
  for (const name of NAMES) {
    const found = group.flatMap(({ limits }) => limits[name] ?? [])
    const isWhole = found.length === group.length && /^[^*]+(\/\*)?$/.test(alias)
    for (const { path } of found) remark(isWhole ? 'otherwise' : 'left', path, isWhole ? CARRIED : PARTIAL)
    if (isWhole)
      limit[LIMITS[name]] = Math.min(
        found.reduce((sum, { value }) => sum + value, 0),
        MOST,
      )
  }
  return limit
}

/** Adds remarks on aliases, since a limit applies to the name that callers send. */
function remarkAliases(
  { router_settings: router }: LiteLLMFile,
  models: ReadonlyMap<string, unknown>,
  { remark }: UpstreamContext,
): void {
  const others = isSection(router?.['model_group_alias']) ? router['model_group_alias'] : {}
  for (const [name, value] of Object.entries(others)) {
    const model = isSection(value) ? value['model'] : value
    if (typeof model === 'string' && models.has(model))
      remark(
        'left',
        ['router_settings', 'model_group_alias', name],
        `the limits of ${JSON.stringify(model)} do not apply to this name: add it to \`limits.models\``,
      )
  }
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
