import { enabledEntries } from '@headgate/discovery'
import { pathText } from '@headgate/discovery/config'
import { type KnownModel, knownModels, mayUse } from '@headgate/gateway/operate'
import type { Inventory } from '../service/inventory.ts'
import { aliasModels } from './aliases.ts'
import { dollarsText, nanosOf, readBudget } from './budget-text.ts'
import type { BudgetConfig, RateLimitConfig } from './schema.ts'
import type { Settings } from './settings.ts'

/** A million US dollars in nano-dollars. Higher limits are probably mistakes. */
const MUCH = 1_000_000_000_000_000n
/** Default of `budgets.leastOutput`. */
const LEAST_OUTPUT = 1_024
/** Maximum output that the gateway requests from a model with an unknown limit, in tokens. */
const UNKNOWN_OUTPUT = 8_192
/** Maximum number of models that a warning names. */
const NAMED = 5

type ConfigPath = readonly PropertyKey[]

/** Warnings about valid but probably mistaken budgets and limits, one sentence each. */
export function spendingWarnings(settings: Settings, { providers }: Pick<Inventory, 'providers'>): string[] {
  const { config } = settings
  const warnings = [
    ...budgetsOf(settings).flatMap(({ path, budget }) => amountWarning(path, budget)),
    ...limitsOf(settings).flatMap(({ path, limit }) =>
      tokensWarning(path, limit, config.budgets?.leastOutput ?? LEAST_OUTPUT),
    ),
    ...(config.budgets?.unknownPrice === 'allow'
      ? []
      : [...unpricedWarnings(settings, providers), ...outputWarnings(settings, providers)]),
  ]
  return [...new Set(warnings)]
}

function budgetsOf({ config: { keys = [], budgets = {} } }: Settings): { path: ConfigPath; budget: BudgetConfig }[] {
  const listed = (path: ConfigPath, list: readonly BudgetConfig[] = []) =>
    list.map((budget, index) => ({ path: [...path, index], budget }))
  return [
    ...keys.flatMap((key, index) => (typeof key === 'string' ? [] : listed(['keys', index, 'budgets'], key.budgets))),
    ...Object.entries(budgets.projects ?? {}).flatMap(([name, list]) => listed(['budgets', 'projects', name], list)),
    ...listed(['budgets', 'organization'], budgets.organization),
  ]
}

function amountWarning(path: ConfigPath, budget: BudgetConfig): string[] {
  const { limit } = typeof budget === 'string' ? (readBudget(budget) ?? { limit: 0n }) : budget
  const nanos =
    typeof limit === 'bigint' ? limit : nanosOf(typeof limit === 'string' ? limit : (dollarsText(limit) ?? ''))
  return (nanos ?? 0n) > MUCH
    ? [`${pathText(path)}: more than a million US dollars. Limits are in dollars, not cents.`]
    : []
}

function limitsOf({ config: { keys = [], limits = {} } }: Settings): { path: ConfigPath; limit: RateLimitConfig }[] {
  const named = (field: 'models' | 'projects') =>
    Object.entries(limits[field] ?? {}).map(([name, limit]) => ({ path: ['limits', field, name], limit }))
  const ofKeys = keys.flatMap((key, index) =>
    typeof key === 'string' || !key.limits ? [] : [{ path: ['keys', index, 'limits'], limit: key.limits }],
  )
  return [...ofKeys, ...named('models'), ...named('projects')]
}

function tokensWarning(path: ConfigPath, { tokensPerMinute }: RateLimitConfig, least: number): string[] {
  if (tokensPerMinute === undefined || tokensPerMinute >= least) return []
  return [
    `${pathText([...path, 'tokensPerMinute'])}: ${tokensPerMinute} tokens may not be enough for one response (budgets.leastOutput is ${least}).`,
  ]
}

/** Warnings about models without a price that are callable by keys with a budget: these requests are refused. */
function unpricedWarnings({ config, keys }: Settings, providers: Inventory['providers']): string[] {
  const { listed, open } = knownModels(enabledEntries(providers))
  const prices = Object.keys(config.prices ?? {})
  const isUnpriced = ({ isPriced, priceNames }: KnownModel) =>
    !isPriced && !priceNames.some((name) => prices.includes(name))
  const unpriced = listed.filter(isUnpriced)
  const unknown = open.filter(
    (name) => !listed.some(({ provider }) => provider === name) && !prices.some((one) => one.startsWith(`${name}/`)),
  )
  return ofBudgetedKeys({ config, keys }, (path, patterns) => {
    const mayAny = unknown.filter(
      (name) => patterns === undefined || patterns.some((one) => one.startsWith(`${name}/`) || one === '*'),
    )
    const names = [...namesFor(unpriced, patterns, config), ...mayAny.map((name) => `${name}/*`)]
    return names.length === 0
      ? []
      : [
          `${pathText(path)}: ${namesText(names)} refused under a budget because the price is unknown. Add one to prices.`,
        ]
  })
}

/**
 * Warnings about models with a price but no output limit that are callable by keys with a budget: the gateway limits
 * these requests.
 */
function outputWarnings({ config, keys }: Settings, providers: Inventory['providers']): string[] {
  const { listed, open } = knownModels(enabledEntries(providers))
  const chatting = new Set(providers.flatMap(({ name, entry }) => (entry?.provider.chat?.length ? [name] : [])))
  const prices = config.prices ?? {}
  const unlimited = listed.filter(({ provider, isPriced, isLimited, families, priceNames }) => {
    const given = priceNames.find((name) => Object.hasOwn(prices, name))
    const costs = given === undefined ? isPriced : prices[given]?.output !== 0
    return costs && !isLimited && chatting.has(provider) && families?.includes('chat') !== false
  })
  // Their providers return the list of models only when they are called.
  const unlisted = Object.keys(prices).flatMap((name): Pick<KnownModel, 'names'>[] => {
    const provider = open.find((one) => chatting.has(one) && name.startsWith(`${one}/`))
    const isListed = listed.some(({ priceNames }) => priceNames.includes(name))
    return provider === undefined || isListed || prices[name]?.output === 0
      ? []
      : [{ names: [name, name.slice(provider.length + 1)] }]
  })
  return ofBudgetedKeys({ config, keys }, (path, patterns) => {
    const names = namesFor([...unlimited, ...unlisted], patterns, config)
    if (names.length === 0) return []
    const without = `${namesText(names)} without a known output limit`
    return [
      `${pathText(path)}: ${without}: requests without max_tokens are limited to ${UNKNOWN_OUTPUT} tokens. Set output in providers.<name>.models, unless the provider lists it.`,
    ]
  })
}

type Patterns = readonly string[] | undefined

/** Warnings about the models of each key with a hard budget. */
function ofBudgetedKeys(
  { config, keys }: Pick<Settings, 'config' | 'keys'>,
  warnings: (path: ConfigPath, patterns: Patterns) => string[],
): string[] {
  return keys.flatMap((key, index) => {
    const path = budgetedBy(key, index, config)
    return path ? warnings(path, key.models ?? (key.search || key.scopes ? [] : undefined)) : []
  })
}

/** Names of models that a key can call, directly or by an alias. */
function namesFor(
  models: readonly Pick<KnownModel, 'names'>[],
  patterns: Patterns,
  config: Settings['config'],
): string[] {
  const aliases = Object.entries(config.models ?? {})
  const aliasesOf = (names: readonly string[]): string[] =>
    aliases.flatMap(([name, alias]) => (aliasModels(alias).some((one) => names.includes(one)) ? [name] : []))
  const may = models.filter(({ names }) => [...names, ...aliasesOf(names)].some((name) => mayUse(patterns, name)))
  return may.map(({ names: [name = ''] }) => name)
}

function budgetedBy(
  { budgets = [], project }: Settings['keys'][number],
  index: number,
  config: Settings['config'],
): ConfigPath | undefined {
  const { projects = {}, organization = [] } = config.budgets ?? {}
  if (budgets.some(isHard)) return ['keys', index, 'budgets']
  if (project !== undefined && projects[project]?.some(isHard)) return ['budgets', 'projects', project]
  return organization.some(isHard) ? ['budgets', 'organization'] : undefined
}

function isHard(budget: BudgetConfig): boolean {
  return typeof budget === 'string' ? !readBudget(budget)?.soft : budget.soft !== true
}

function namesText(names: readonly string[]): string {
  const more = names.length - NAMED
  return `${names.slice(0, NAMED).join(', ')}${more > 0 ? `, and ${more} more,` : ''} ${names.length === 1 ? 'is' : 'are'}`
}
