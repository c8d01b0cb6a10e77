import { dirname } from 'node:path'
import type { Accounts } from '@headgate/accounts'
import { enabledEntries } from '@headgate/discovery'
import {
  type BudgetRefusal,
  type Budgets,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type HealthReport,
  type KeyInfo,
  type KeyInfoOf,
  limitsByName,
  type RateLimits,
  type RateRefusal,
  type ResponseOptions,
  type TaskOptions,
  type TraceSink,
} from '@headgate/gateway'
import { rateLimitsBy } from '@headgate/gateway/operate'
import type { IdempotencyOptions, LimitsOf, RateCounters, RefusalSink, TracePropagation } from '@headgate/gateway/ports'
import {
  type Authentication,
  authenticate as authenticateBy,
  type ConfiguredPrincipal,
  callbackSecret,
  DEFAULT_ORGANIZATION,
  type Secret,
  type Store,
} from '@headgate/store'
import type { TraceSettings } from '@headgate/telemetry'
import type { Settings } from '../config/settings.ts'
import { authenticateTokens } from '../tokens/token-callers.ts'
import type { Inventory } from './inventory.ts'
import type { MetricsFormat } from './metrics-text.ts'
import { createOperations, type OperationSources, type Operations } from './operations.ts'
import { configuredOptions } from './options.ts'
import { estimateTokens } from './token-estimate.ts'

/** Other processes of the program. */
export interface Peers {
  /** Number of processes. Configured limits are divided among them. */
  readonly size: number
  /** Counters of rate limits across all processes. */
  readonly counters: RateCounters
  /** Reasons not to send requests to the program now, with the process of each; empty = all are ready. */
  notReady(): Promise<readonly string[]>
  /** Conditions that an operator should know although the program serves. */
  notes(): readonly string[]
  /** Reports that this process has changed the store, so that other processes read it now. */
  changed(): void
  /** Health of providers, combined from all processes. */
  health(): Promise<readonly HealthReport[]>
  /** Metrics of all processes, summed, as text. Default: the text format of Prometheus. */
  metrics(format?: MetricsFormat): Promise<string>
}

/** Part of the program that a reload of the configuration replaces. */
export interface Serving {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly gateway: Gateway
  readonly authenticate: Authentication
  readonly operations: Operations
}

export interface ServingParts
  extends Pick<OperationSources, 'notReady' | 'notes' | 'metrics'>,
    Required<Pick<GatewayOptions, 'onAccess' | 'onWarning' | 'openapi'>> {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly store: Store
  /** Storage for traces of requests; absent = no traces. */
  readonly traces?: TraceSink | undefined
  /** Receiver of refused requests and of messages of failures; absent = they are not recorded. */
  readonly refusals?: RefusalSink | undefined
  readonly secret: Secret
  /** Records that a key used another key's response; absent = no audit log. */
  readonly audit?: ResponseOptions['audit'] | undefined
  /** Address of the program on this machine. */
  readonly url: string
  /** Counters of rate limits, shared by successive gateways. */
  readonly counters: RateCounters
  /** Number of processes of the program. */
  readonly size: number
  /** Gateway to be replaced. */
  readonly after?: Gateway | undefined
  readonly create?: ((options: GatewayOptions) => Gateway) | undefined
  onBudgetRefusal(refusal: BudgetRefusal): void
  onRateRefusal(refusal: RateRefusal): void
}

export function createServing(parts: ServingParts): Serving {
  const {
    settings,
    inventory,
    store,
    traces,
    refusals,
    secret,
    audit,
    url: ownUrl,
    counters,
    size,
    after,
    create = createGateway,
    notReady,
    notes,
    metrics,
    openapi,
    onAccess,
    onWarning,
    onBudgetRefusal,
    onRateRefusal,
  } = parts
  const { config, keys } = settings
  const authenticate = callersOf(settings, authenticateBy(store, keys), parts)
  const own = { ...settings, config: { ...config, limits: processLimits(config.limits, size) } }
  const url = (settings.publicUrl ?? ownUrl).replace(/\/+$/, '')
  const gateway = create({
    ...configuredOptions(own, enabledEntries(inventory.providers), { search: inventory.search, secret, size }),
    ...(after && { after }),
    ...(inventory.credentials && { publicOrigins: inventory.credentials.publicOrigins }),
    authenticate,
    keyInfo: createKeyInfo(store),
    ledger: store.ledger,
    budgets: reportingBudgets(store.budgets, onBudgetRefusal),
    prices: store.prices,
    rateLimits: reportingRateLimits(rateLimitsBy(counters, limitsOf(settings)), onRateRefusal),
    lists: store.lists,
    ...(traces && { traces }),
    ...(refusals && { refusals }),
    rowTraces: settings.traceExport !== undefined,
    ...(settings.traceExport && { propagation: propagationOf(settings, settings.traceExport) }),
    tasks: taskOptions(settings, store, secret, () => url),
    // Another worker does not have the file of a link.
    ...(size === 1 && { files: { publicUrl: () => url, links: secret.subKeys('links') } }),
    responses: responseOptions(settings, store, secret, audit),
    idempotency: idempotencyOptions(settings, store, secret),
    ...(config.hostedTools && { hostedTools: config.hostedTools }),
    estimateTokens,
    openapi,
    onAccess,
    onWarning,
  })
  const operations = createOperations({
    authenticate,
    notReady,
    ...(notes && { notes }),
    metrics,
    url,
    trustedProxies: config.server?.trustedProxies,
    onWarning,
  })
  return {
    settings,
    inventory,
    gateway,
    authenticate,
    operations,
  }
}

/** Authenticates by tokens, if issuers are configured, and by keys. */
function callersOf(
  { config: { tokens: issuers }, file }: Settings,
  byKeys: Authentication,
  { store, onWarning }: Pick<ServingParts, 'store' | 'onWarning'>,
): Authentication {
  if (!issuers) return byKeys
  const record = (principal: ConfiguredPrincipal) => store.keys.configure([principal])
  return authenticateTokens({ issuers, folder: dirname(file ?? '.'), record, onWarning }, byKeys)
}

function propagationOf({ config }: Settings, { ratio, followsParent }: TraceSettings): TracePropagation {
  return { isDefault: config.telemetry?.propagate === true, ratio, followsParent }
}

type ProcessLimits = NonNullable<Settings['config']['limits']>

/** Default of `limits.connections`. */
const CONNECTIONS = 10_000
/** Default of `limits.uploads`. */
const UPLOADS = 8 * 1024 ** 3

/** Limits of one of `size` processes: its part of the program's limits, and unchanged limits per request. */
export function processLimits(
  limits: ProcessLimits = {},
  size: number,
): ProcessLimits & Required<Pick<ProcessLimits, 'connections' | 'uploads'>> {
  const { connections = CONNECTIONS, uploads = UPLOADS } = limits
  const { memory, keyMemory, keyUploads, waiting, concurrent, queue } = limits
  const part = (whole: number) => Math.max(1, Math.floor(whole / size))
  return {
    ...limits,
    connections: part(connections),
    uploads: part(uploads),
    ...(memory !== undefined && { memory: part(memory) }),
    ...(keyMemory !== undefined && { keyMemory: part(keyMemory) }),
    ...(keyUploads !== undefined && { keyUploads: part(keyUploads) }),
    ...(waiting !== undefined && { waiting: part(waiting) }),
    ...(concurrent !== undefined && { concurrent: part(concurrent) }),
    ...(queue !== undefined && { queue: part(queue) }),
  }
}

interface KeyInfoSources {
  readonly keys: Pick<Store['keys'], 'get'>
  readonly usage: Pick<Store['usage'], 'byKey'>
}

/** Facts about a key for its owner. Concurrent requests share one query. */
export function createKeyInfo({ keys, usage }: KeyInfoSources): KeyInfoOf {
  const pending = new Map<string, Promise<KeyInfo>>()

  const ask = async (id: string): Promise<KeyInfo> => {
    // A configured key has usage, but no row in the store.
    const [stored, used] = await Promise.all([keys.get(id), usage.byKey(id)])
    const { createdAt, expiresAt } = stored ?? {}
    return { used, ...(createdAt !== undefined && { createdAt }), ...(expiresAt !== undefined && { expiresAt }) }
  }

  return ({ id }) => {
    const asking = pending.get(id)
    if (asking) return asking
    const answer = ask(id).finally(() => pending.delete(id))
    pending.set(id, answer)
    return answer
  }
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a time such as `30m`, `24h`, `7d`. */
function millisecondsOf(text: string): number {
  return Number.parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 0)
}

/** Records in the audit log that a key used the response of another key in its project. */
export function auditShared(accounts: Pick<Accounts, 'recordAct'>): NonNullable<ResponseOptions['audit']> {
  return async ({ principal: { id, owners }, answer, use, requestId, address }) => {
    const organization = owners?.organization ?? DEFAULT_ORGANIZATION
    const caller = { kind: 'key', id, organization, role: 'viewer', address, requestId } as const
    await accounts.recordAct(caller, {
      action: `response.${use}`,
      target: answer.id,
      organization,
      after: { key: answer.key },
    })
  }
}

/** Options for stored responses, which later requests can name. */
function responseOptions(
  { config }: Settings,
  store: Store,
  secret: Secret,
  audit: ResponseOptions['audit'],
): ResponseOptions {
  const { keep, foreignIds } = config.responses ?? {}
  return {
    store: store.answers,
    sealer: secret.subKeys('answers'),
    ...(audit && { audit }),
    ...(keep !== undefined && { keepMs: keep === false ? false : millisecondsOf(keep) }),
    ...(foreignIds && { foreignIds }),
  }
}

/** Options for requests that are executed once. */
function idempotencyOptions({ config }: Settings, store: Store, secret: Secret): IdempotencyOptions | false {
  const { idempotency = {} } = config
  if (idempotency === false) return false
  const { keep } = idempotency
  return {
    store: store.idempotency,
    sealer: secret.subKeys('idempotency'),
    ...(keep !== undefined && { keepMs: millisecondsOf(keep) }),
  }
}

/** Options for task storage and links. `publicUrl` is called when a link is created. */
export function taskOptions({ config }: Settings, store: Store, secret: Secret, publicUrl: () => string): TaskOptions {
  const { links, privateCallbacks } = config.video ?? {}
  return {
    store: store.tasks,
    publicUrl,
    links: secret.subKeys('links'),
    callbackSecret: (owner) => callbackSecret(secret, owner),
    ...(links && { linking: links }),
    ...(privateCallbacks && { allowPrivateCallbacks: privateCallbacks }),
  }
}

/** Limits of a request: from its key, and from the configuration for its project and model. */
function limitsOf({ config: { limits = {} } }: Settings): LimitsOf {
  const { models, projects } = limits
  return limitsByName({ ...(models && { models }), ...(projects && { projects }) })
}

/** Budgets that report refusals. */
function reportingBudgets(budgets: Budgets, tell: (refusal: BudgetRefusal) => void): Budgets {
  const hear = (refusal: BudgetRefusal | undefined): void => {
    if (refusal) tell(refusal)
  }
  return { ...budgets, reserve: (ask) => reported(budgets.reserve(ask), hear) }
}

/** Rate limits that report refusals. */
function reportingRateLimits(limits: RateLimits, tell: (refusal: RateRefusal) => void): RateLimits {
  const hear = (found: Awaited<ReturnType<RateLimits['take']>>): void => {
    if (found && !('leave' in found)) tell(found)
  }
  return { take: (ask) => reported(limits.take(ask), hear) }
}

/** Reports a value and returns it without waiting. */
function reported<T>(value: T | Promise<T>, report: (value: T) => void): T | Promise<T> {
  if (value instanceof Promise) value.then(report, () => {})
  else report(value)
  return value
}
