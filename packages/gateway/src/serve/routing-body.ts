import { changed, dropped, isObject, type Json, type Loss } from '@headgate/core/canonical'
import { type HeadgateError, invalid } from '@headgate/core/errors'
import type { MaxPrice, RoutingBounds, RoutingPolicy } from '../ports/routing.ts'
import { inNanos } from './policy-header.ts'

/** Routing fields of a body. */
export interface RoutingFields {
  /** Models to try after `model`, in order, without duplicates. The caller's key may not allow them. */
  readonly models: readonly string[]
  /** Field that names `models`. */
  readonly modelsField?: 'models' | 'fallbacks' | undefined
  /** Policy that `provider.sort` selects. */
  readonly policy?: RoutingPolicy | undefined
  readonly bounds: RoutingBounds
  /** Providers to try first: `<name>`, `<name>/<region>` or `<name>/<endpoint>`, in lower case. */
  readonly order: readonly string[]
  /** The only providers to use; empty = all. */
  readonly only: readonly string[]
  readonly ignore: readonly string[]
  /** False if only the providers of `order` may be used, or without `order` only the best endpoint. */
  readonly allowFallbacks: boolean
  /** True if endpoints are sorted over all models instead of model by model. */
  readonly acrossModels: boolean
  /** True if an endpoint must support all parameters, as with `headgate-strict: true`. */
  readonly strict: boolean
  /** Id of the session, for prompt-cache affinity. */
  readonly session?: string | undefined
  /** Preferences that are ignored. */
  readonly losses: readonly Loss[]
  /** Top-level fields that were read. */
  readonly used: readonly string[]
}

export interface RoutingFieldsOptions {
  /**
   * True if the caller has selected the upstream's fallbacks, for example with a beta header. They also handle refusals
   * in successful responses, so `fallbacks` stays in the body.
   */
  readonly keepsFallbacks?: boolean | undefined
}

const MAX_MODELS = 16
const MAX_FALLBACKS = 3
const MAX_NAMES = 64
const MAX_NAME = 512
/** @see https://openrouter.ai/docs/guides/features/prompt-caching */
const MAX_SESSION = 256
/** Maximum price in US dollars. Higher prices have no exact number of nano-dollars. */
const MAX_DOLLARS = 1_000_000

const SORTS: Readonly<Record<string, RoutingPolicy>> = {
  price: 'cheapest',
  latency: 'fastest',
  throughput: 'fastest',
}
const PERCENTILES: ReadonlySet<string> = new Set(['p50', 'p75', 'p90', 'p99'])

const NONE: readonly string[] = []

/** Fields of `provider` by their results. Unknown fields are declared as lost. */
interface ProviderPreferences {
  policy?: RoutingPolicy
  maxPrice?: MaxPrice
  labels: Record<string, readonly string[]>
  order: readonly string[]
  only: readonly string[]
  ignore: readonly string[]
  allowFallbacks: boolean
  acrossModels: boolean
  strict: boolean
  readonly losses: Loss[]
}

type ReadField = (value: unknown, path: string, out: ProviderPreferences) => void

const READ: Readonly<Record<string, ReadField>> = {
  order: (value, path, out) => {
    out.order = slugs(value, path)
  },
  only: (value, path, out) => {
    out.only = slugs(value, path)
  },
  ignore: (value, path, out) => {
    out.ignore = slugs(value, path)
  },
  allow_fallbacks: (value, path, out) => {
    out.allowFallbacks = flag(value, path)
  },
  require_parameters: (value, path, out) => {
    out.strict = flag(value, path)
  },
  data_collection: (value, path, out) => {
    if (value !== 'allow' && value !== 'deny') throw mistake(path, 'must be "allow" or "deny"')
    if (value === 'deny') out.labels['no-training'] = ['true']
  },
  zdr: (value, path, out) => {
    if (flag(value, path)) out.labels['zdr'] = ['true']
  },
  enforce_distillable_text: (value, path, out) => {
    if (flag(value, path)) out.labels['distillable'] = ['true']
  },
  quantizations: (value, path, out) => {
    const levels = slugs(value, path)
    if (levels.length > 0) out.labels['quant'] = levels
  },
  sort: readSort,
  max_price: readMaxPrice,
  preferred_min_throughput: readPreference,
  preferred_max_latency: readPreference,
}

/**
 * Routing fields of a body: OpenRouter's `models`, `provider` and `session_id`, and `fallbacks` of messages. Null
 * counts as absent. Do not call it for a request that the header `vendor` pins to a provider, which gets the fields
 * unchanged.
 *
 * @returns undefined if the body has no such field
 * @throws HeadgateError `invalid-request` that names the field
 * @see https://openrouter.ai/docs/guides/routing/provider-routing
 * @see https://openrouter.ai/docs/guides/routing/model-fallbacks
 * @see https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 * @example
 * ```ts
 * readRoutingFields({ model: 'a', models: ['b'], provider: { sort: 'price', zdr: true } })
 * // { models: ['b'], policy: 'cheapest', bounds: { labels: { zdr: ['true'] } }, … }
 * ```
 */
export function readRoutingFields(
  body: Json,
  { keepsFallbacks = false }: RoutingFieldsOptions = {},
): RoutingFields | undefined {
  const { models = null, provider = null, session_id: session = null } = body
  // Anthropic's `fallbacks: "default"` lets the upstream choose the model.
  const fallbacks = keepsFallbacks || typeof body['fallbacks'] === 'string' ? null : (body['fallbacks'] ?? null)
  if (models === null && provider === null && session === null && fallbacks === null) return undefined
  if (models !== null && fallbacks !== null) throw mistake('fallbacks', 'cannot be combined with `models`')
  const out = providerFields(provider)
  const { maxPrice, labels, ...given } = out
  const named = models === null ? fallbackModels(fallbacks) : names(models, 'models', MAX_MODELS)
  return {
    ...given,
    models: [...new Set(named)].filter((model) => model !== body['model']),
    modelsField: models !== null ? 'models' : fallbacks !== null ? 'fallbacks' : undefined,
    bounds: { ...(maxPrice && { maxPrice }), ...(Object.keys(labels).length > 0 && { labels }) },
    session: sessionOf(session),
    used: usedFields(body, { models, provider, fallbacks, session_id: session }),
  }
}

/** `route: "fallback"` only says that `models` has fallbacks. */
function usedFields(body: Json, fields: Json): string[] {
  const used = Object.keys(fields).filter((name) => fields[name] !== null)
  return fields['models'] !== null && body['route'] === 'fallback' ? [...used, 'route'] : used
}

function mistake(path: string, what: string): HeadgateError {
  return invalid(path, `The field ${path} ${what}.`)
}

function flag(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw mistake(path, 'must be true or false')
  return value
}

function names(value: unknown, path: string, most: number): readonly string[] {
  if (!Array.isArray(value)) throw mistake(path, 'must be a list of strings')
  if (value.length > most) throw mistake(path, `has more than ${most} entries`)
  return value.map((one: unknown, index) => nameOf(one, `${path}[${index}]`))
}

function nameOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw mistake(path, 'must be a string that is not empty')
  if (value.length > MAX_NAME) throw mistake(path, `is longer than ${MAX_NAME} characters`)
  return value
}

/** Names in lower case, since they are ids. */
function slugs(value: unknown, path: string): readonly string[] {
  return names(value, path, MAX_NAMES).map((name) => name.toLowerCase())
}

function fallbackModels(value: unknown): readonly string[] {
  if (value === null) return NONE
  if (!Array.isArray(value)) throw mistake('fallbacks', 'must be a list of objects with `model`')
  if (value.length > MAX_FALLBACKS) throw mistake('fallbacks', `has more than ${MAX_FALLBACKS} entries`)
  return value.map((entry: unknown, index) => {
    const path = `fallbacks[${index}]`
    if (!isObject(entry)) throw mistake(path, 'must be an object with `model`')
    const other = Object.keys(entry).find((key) => key !== 'model')
    if (other !== undefined)
      throw mistake(
        `${path}.${other.slice(0, 64)}`,
        'is not supported: a fallback gets the same request, and has only `model`. The header `vendor` sends the list to the provider unchanged',
      )
    return nameOf(entry['model'], `${path}.model`)
  })
}

function sessionOf(value: unknown): string | undefined {
  if (value === null) return undefined
  const session = nameOf(value, 'session_id')
  if (session.length > MAX_SESSION) throw mistake('session_id', `is longer than ${MAX_SESSION} characters`)
  return session
}

function providerFields(provider: unknown): ProviderPreferences {
  const out: ProviderPreferences = {
    labels: {},
    order: NONE,
    only: NONE,
    ignore: NONE,
    allowFallbacks: true,
    acrossModels: false,
    strict: false,
    losses: [],
  }
  if (provider === null) return out
  if (!isObject(provider)) throw mistake('provider', 'must be an object')
  for (const [name, value] of Object.entries(provider)) {
    if (value === null || value === undefined) continue
    const path = `provider.${name}`
    const read = Object.hasOwn(READ, name) ? READ[name] : undefined
    if (read) read(value, path, out)
    else dropped(out.losses, path, 'the gateway has no such routing field')
  }
  return out
}

function readSort(value: unknown, path: string, out: ProviderPreferences): void {
  const sort = isObject(value) ? (value['by'] ?? null) : value
  const partition = isObject(value) ? (value['partition'] ?? 'model') : 'model'
  if (partition !== 'model' && partition !== 'none') throw mistake(`${path}.partition`, 'must be "model" or "none"')
  out.acrossModels = partition === 'none'
  if (sort === null) return
  const policy = typeof sort === 'string' && Object.hasOwn(SORTS, sort) ? SORTS[sort] : undefined
  if (!policy) throw mistake(isObject(value) ? `${path}.by` : path, `must be one of: ${Object.keys(SORTS).join(', ')}`)
  if (sort === 'throughput') changed(out.losses, path, 'endpoints are sorted by the time to the first token')
  out.policy = policy
}

/** Hard limits in US dollars: tokens per million, others each. OpenRouter also accepts numbers as strings. */
function readMaxPrice(value: unknown, path: string, out: ProviderPreferences): void {
  if (!isObject(value)) throw mistake(path, 'must be an object')
  const price = (name: string): number | undefined => {
    const given = value[name] ?? undefined
    if (given === undefined) return undefined
    const dollars = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= MAX_DOLLARS))
      throw mistake(`${path}.${name}`, `must be an amount in US dollars from 0 to ${MAX_DOLLARS}`)
    return inNanos(dollars)
  }
  const input = price('prompt')
  const output = price('completion')
  for (const name of Object.keys(value)) {
    if (name === 'prompt' || name === 'completion' || price(name) === undefined) continue
    dropped(out.losses, `${path}.${name}`, 'only prices of input and output tokens are limited')
  }
  if (input === undefined && output === undefined) return
  out.maxPrice = { ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}

function readPreference(value: unknown, path: string, out: ProviderPreferences): void {
  const isNumber = (one: unknown): boolean => typeof one === 'number' && one >= 0
  const isCutoffs =
    isObject(value) &&
    Object.entries(value).every(([name, one]) => PERCENTILES.has(name) && (one === null || isNumber(one)))
  if (!isNumber(value) && !isCutoffs)
    throw mistake(path, `must be a number, or an object with numbers for ${[...PERCENTILES].join(', ')}`)
  dropped(out.losses, path, 'the gateway has no preferences for speed besides the policy')
}
