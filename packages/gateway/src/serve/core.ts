import type { Price } from '@headgate/core/canonical'
import { createUpstreams } from '#transport'
import { now } from '../clock.ts'
import { priceBookOf } from '../cost/prices.ts'
import type { Spendable } from '../cost/spending/spending.ts'
import { createDownload, type Download } from '../http/download.ts'
import { createGuard } from '../http/guard.ts'
import { createLeases } from '../http/leases.ts'
import { defaultMemory, defaultWaiting } from '../http/memory.ts'
import type { UpstreamAccess } from '../http/send.ts'
import type {
  GatewayLimits,
  GatewayOptions,
  HostedToolsOptions,
  SpendingOptions,
  Times,
} from '../ports/gateway-options.ts'
import type { RateLimits } from '../ports/rates.ts'
import type { RoutingOptions } from '../ports/routing.ts'
import type { TracePropagation } from '../ports/tracing.ts'
import type { Voices } from '../ports/voices.ts'
import type { QueueOptions } from '../routing/call-queue.ts'
import type { Aliases, PricedModel, SameModelLookup, ServedFamily } from '../routing/candidates.ts'
import { type Capacity, createCapacity } from '../routing/capacity.ts'
import { type ConfiguredInstance, createInstances } from '../routing/catalog.ts'
import { createChoice, type EndpointChoice } from '../routing/endpoint-choice.ts'
import { createHealth, type Health } from '../routing/health.ts'
import { createLatencySamples, type LatencySamples } from '../routing/latency-samples.ts'
import { createLoad, type Load } from '../routing/load.ts'
import { createModelListCache, type ModelListCache } from '../routing/model-list-cache.ts'
import { createOverruns, type Overruns } from '../routing/overruns.ts'
import { createRetryBudget, type RetryBudget } from '../routing/retry-budget.ts'
import { sameModels } from '../routing/same-models.ts'
import { createUpstreamLimits, type UpstreamLimits } from '../routing/upstream-limits.ts'
import { createSpoolSpace, type SpoolSpace } from '../uploads/spool.ts'
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts'
import type { ImageMaker } from './image-maker.ts'
import { createStoredResponses, type StoredResponses } from './responses/responses.ts'
import type { WebSearch } from './web-search.ts'

const TIMES: Times = {
  connect: 10_000,
  firstByte: 600_000,
  silence: 120_000,
  whole: 900_000,
  queue: 10_000,
  body: 60_000,
  upload: 300_000,
  write: 60_000,
  ping: 15_000,
  backoff: 1_000,
}
const LIMITS: Omit<GatewayLimits, 'memory' | 'keyMemory' | 'keyUploads' | 'waiting'> = {
  body: 32 * 1024 * 1024,
  values: 1_000_000,
  members: 100_000,
  answer: 64 * 1024 * 1024,
  media: 20 * 1024 * 1024,
  upload: 512 * 1024 * 1024,
  uploads: 8 * 1024 * 1024 * 1024,
  queue: 1_000,
}
const SPENDING: Required<SpendingOptions> = { leastOutput: 1_024, unknownPrice: 'refuse' }
/** Maximum part of the calls that are second calls of slow requests. */
const HEDGED = 0.05
/** Approximate number of characters per token of English prose. */
const CHARACTERS_PER_TOKEN = 4

/** Shared state of the families. */
export interface Core extends UpstreamAccess, Spendable {
  readonly instances: readonly ConfiguredInstance[]
  /**
   * Filter for providers that serve a family; without an id, for providers that serve any open family, or any of
   * `among`.
   * @throws TypeError for an unknown id
   */
  served(family?: string, among?: readonly string[]): ServedFamily
  readonly aliases: Aliases
  readonly voices: Voices
  readonly lists: ModelListCache
  /** Lookup of the same model at other providers; undefined = every model only under the requested id. */
  readonly sameModels: SameModelLookup | undefined
  readonly routing: RoutingOptions
  readonly health: Health
  readonly load: Load
  /** Space for uploads. */
  readonly spools: SpoolSpace
  /** Maximum number of requests in progress; undefined = unlimited. */
  readonly capacity: Capacity | undefined
  /** Policies and prompt-cache affinity. */
  readonly choice: EndpointChoice
  /** Limits that upstreams reported. */
  readonly upstreamLimits: UpstreamLimits
  /** Upstreams that reported more output than the limit they got. */
  readonly overruns: Overruns
  readonly retries: RetryBudget
  /** Limit on second calls of slow requests, and the usual times. */
  readonly hedging: { readonly budget: RetryBudget; readonly samples: LatencySamples }
  readonly rateLimits: RateLimits | undefined
  /** Sending of trace contexts to providers; undefined = only by the setting of a provider. */
  readonly propagation: TracePropagation | undefined
  readonly times: Times
  readonly limits: GatewayLimits
  readonly download: Download
  /** Approximate number of tokens of a string. */
  estimate(text: string): number | Promise<number>
  /** Price that was valid at the start of the request. */
  priceOf(model: PricedModel, startedAt: number): Price | undefined
  readonly storedResponses: StoredResponses
  /** Handling of requests with idempotency keys; undefined = the header is ignored. */
  readonly idempotency: Idempotency | undefined
  /** Execution of web searches that requests enable. */
  readonly webSearchMode: NonNullable<HostedToolsOptions['webSearch']>
  /** Web search of the gateway. It is set when the search family opens; undefined = unavailable. */
  webSearch: WebSearch | undefined
  /** Execution of image tools of requests. */
  readonly imageToolMode: NonNullable<HostedToolsOptions['images']>
  /** Images of the gateway for other families. It is set when the images family opens; undefined = unavailable. */
  imageMaker: ImageMaker | undefined
}

function limitsOf(options: GatewayOptions): GatewayLimits {
  const limits = { ...LIMITS, ...options.limits }
  const memory = limits.memory ?? defaultMemory(limits.body)
  return {
    ...limits,
    memory,
    keyMemory: limits.keyMemory ?? Math.floor(memory / 2),
    keyUploads: limits.keyUploads ?? Math.max(limits.upload, Math.floor(limits.uploads / 2)),
    waiting: limits.waiting ?? defaultWaiting(memory),
  }
}

/** Space for uploads. Uploads that a predecessor reads count in it. */
function spoolsOf(
  { upload, uploads, keyUploads }: GatewayLimits,
  folder: string | undefined,
  before: SpoolSpace | undefined,
): SpoolSpace {
  const limits = { each: upload, total: uploads, perKey: keyUploads, folder }
  if (!before) return createSpoolSpace(limits)
  before.setLimits(limits)
  return before
}

/** True if two instances use the same provider account under the same name. */
function isSame(one: ConfiguredInstance, other: ConfiguredInstance): boolean {
  const identity = ({ endpoints }: ConfiguredInstance): string =>
    JSON.stringify(endpoints.map(({ name, provider: { baseUrl, credential } }) => [name, baseUrl, credential]))
  return one.name === other.name && identity(one) === identity(other)
}

/** State that a gateway passes to its successor. */
type InheritedState = Pick<
  Core,
  | 'instances'
  | 'health'
  | 'choice'
  | 'upstreamLimits'
  | 'overruns'
  | 'retries'
  | 'storedResponses'
  | 'idempotency'
  | 'spools'
>

/** Takes over the state of unchanged providers. */
function inherit(
  before: InheritedState,
  {
    instances,
    health,
    upstreamLimits,
    overruns,
    retries,
  }: Omit<InheritedState, 'storedResponses' | 'choice' | 'idempotency' | 'spools'>,
): void {
  for (const instance of instances) {
    const known = before.instances.find((one) => isSame(one, instance))
    if (!known) continue
    instance.live ??= known.live
    health.copyFrom(before.health, instance.name)
    overruns.copyFrom(before.overruns, instance.name)
    retries.copyFrom(before.retries, instance.name)
    upstreamLimits.copyFrom(before.upstreamLimits, (key) => key.startsWith(`${instance.name}\n`))
  }
}

/** Handling of idempotency keys. Without options, the records of a predecessor are taken over. */
function idempotencyOf(
  { idempotency: options }: GatewayOptions,
  before: InheritedState | undefined,
  warn: (message: string) => void,
): Idempotency | undefined {
  if (options === false) return undefined
  return (options ? undefined : before?.idempotency) ?? createIdempotency(options ?? {}, warn)
}

/** @param before state of the gateway that this one replaces */
export function createCore(options: GatewayOptions, served: Core['served'], before?: InheritedState): Core {
  const times = { ...TIMES, ...options.times }
  const limits = limitsOf(options)
  const warn = options.onWarning ?? (() => {})
  const instances = createInstances(options.providers)
  const health = createHealth()
  const upstreamLimits = createUpstreamLimits()
  const overruns = createOverruns()
  const retries = createRetryBudget(options.retries)
  if (before) inherit(before, { instances, health, upstreamLimits, overruns, retries })
  const upstreams = createUpstreams(times, { publicOrigins: options.publicOrigins })
  const leases = createLeases(upstreams)
  const { ledger, budgets } = options
  const book = priceBookOf(options.prices, warn)
  const waiting: QueueOptions = { most: limits.queue, ms: times.queue, clock: now }
  return {
    instances,
    served,
    upstreams,
    leases,
    aliases: options.models ?? {},
    voices: options.voices ?? {},
    lists: createModelListCache(instances, { upstreams, leases }, { onWarning: warn, store: options.lists }),
    sameModels: options.routing?.same && sameModels(instances, options.routing.same),
    routing: options.routing ?? {},
    health,
    load: createLoad(waiting),
    spools: spoolsOf(limits, options.spoolFolder, before?.spools),
    capacity: limits.concurrent === undefined ? undefined : createCapacity(limits.concurrent, waiting),
    choice: before?.choice ?? createChoice(options.routing),
    upstreamLimits,
    overruns,
    retries,
    hedging: { budget: createRetryBudget({ share: HEDGED, least: 0 }), samples: createLatencySamples() },
    rateLimits: options.rateLimits,
    propagation: options.propagation,
    times,
    limits,
    download: createDownload({ limit: limits.media, guard: createGuard({ allowPrivate: options.allowPrivateMedia }) }),
    priceOf: ({ instance: { name }, model, facts }, startedAt) =>
      book.priceOf(name, model, startedAt) ??
      (facts?.is === undefined ? undefined : book.priceOf(name, facts.is, startedAt)) ??
      facts?.price,
    storedResponses:
      (options.responses ? undefined : before?.storedResponses) ?? createStoredResponses(options.responses, warn),
    idempotency: idempotencyOf(options, before, warn),
    estimate: options.estimateTokens ?? ((text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)),
    webSearchMode: options.hostedTools?.webSearch ?? 'provider',
    webSearch: undefined,
    imageToolMode: options.hostedTools?.images ?? 'provider',
    imageMaker: undefined,
    budgets,
    spending: { ...SPENDING, ...options.spending },
    warn,
    settle(row) {
      const failed = (error: unknown): void =>
        warn(`A usage row could not be settled: ${error instanceof Error ? error.message : String(error)}`)
      try {
        budgets?.settle?.(row)
        const settling = ledger?.settle(row)
        return settling instanceof Promise ? settling.catch(failed) : undefined
      } catch (error) {
        failed(error)
        return undefined
      }
    },
  }
}
