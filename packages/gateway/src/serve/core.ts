import type { Price } from '@headgate/core/canonical'
import { createUpstreams } from '#transport'
import { bookOf } from '../cost/prices.ts'
import type { Spendable } from '../cost/spending/spending.ts'
import { createDownload, type Download } from '../http/download.ts'
import { createGuard } from '../http/guard.ts'
import { createLeases } from '../http/leases.ts'
import { defaultMemory, defaultWaiting } from '../http/memory.ts'
import type { Wire } from '../http/send.ts'
import type { GatewayOptions, HostedToolsOptions, Limits, SpendingOptions, Times } from '../ports/gateway-options.ts'
import type { RateLimits } from '../ports/rates.ts'
import type { Candidate, ServedFamily } from '../routing/candidates.ts'
import { createInstances, type Instance } from '../routing/catalog.ts'
import { createHealth, type Health } from '../routing/health.ts'
import { createLiveLists, type LiveLists } from '../routing/live-lists.ts'
import { createOverruns, type Overruns } from '../routing/overruns.ts'
import { createRetryBudget, type RetryBudget } from '../routing/retry-budget.ts'
import { type Answers, createAnswers } from './answers/answers.ts'
import type { WebSearch } from './web-search.ts'

const TIMES: Times = {
  connect: 10_000,
  firstByte: 600_000,
  silence: 120_000,
  whole: 900_000,
  body: 60_000,
  upload: 300_000,
  write: 60_000,
  ping: 15_000,
  backoff: 1_000,
}
const LIMITS: Omit<Limits, 'memory' | 'keyMemory' | 'waiting'> = {
  body: 32 * 1024 * 1024,
  values: 1_000_000,
  members: 100_000,
  answer: 64 * 1024 * 1024,
  media: 20 * 1024 * 1024,
}
const SPENDING: Required<SpendingOptions> = { leastOutput: 1_024, unknownPrice: 'refuse' }
/** Of English prose, about. */
const CHARACTERS_PER_TOKEN = 4

/** What the families share: the gateway's parts, put together once. */
export interface Core extends Wire, Spendable {
  readonly instances: readonly Instance[]
  /**
   * The family of that id, else what serves any family of models that has routes, or any of those that are named.
   * @throws TypeError for an id that is none.
   */
  served(family?: string, among?: readonly string[]): ServedFamily
  readonly aliases: Readonly<Record<string, readonly string[]>>
  readonly lists: LiveLists
  readonly health: Health
  /** Upstreams that reported more output than the limit they were given. */
  readonly overruns: Overruns
  readonly retries: RetryBudget
  readonly rateLimits: RateLimits | undefined
  readonly times: Times
  readonly limits: Limits
  readonly download: Download
  /** About how many tokens a text is. */
  estimate(text: string): number | Promise<number>
  /** The price that holds for a request that began at that time. */
  priceOf(candidate: Candidate, startedAt: number): Price | undefined
  readonly answers: Answers
  /** Who answers web searches that are among the tools of a request. */
  readonly webSearchMode: NonNullable<HostedToolsOptions['webSearch']>
  /** The gateway's own search of the web, once the family that searches is open; undefined = there is none. */
  webSearch: WebSearch | undefined
}

function limitsOf(options: GatewayOptions): Limits {
  const limits = { ...LIMITS, ...options.limits }
  const memory = limits.memory ?? defaultMemory(limits.body)
  return {
    ...limits,
    memory,
    keyMemory: limits.keyMemory ?? Math.floor(memory / 2),
    waiting: limits.waiting ?? defaultWaiting(memory),
  }
}

/** Whether two instances of a name are one provider to everybody who asks. */
function isSame(one: Instance, other: Instance): boolean {
  const identity = ({ provider: { baseUrl, credential } }: Instance): string => JSON.stringify([baseUrl, credential])
  return one.name === other.name && identity(one) === identity(other)
}

/** What a gateway leaves to the one that takes its place. */
type Legacy = Pick<Core, 'instances' | 'health' | 'overruns' | 'retries' | 'answers'>

/** Hands over what was learnt of the providers that stay the same. */
function inherit(before: Legacy, { instances, health, overruns, retries }: Omit<Legacy, 'answers'>): void {
  for (const instance of instances) {
    const known = before.instances.find((one) => isSame(one, instance))
    if (!known) continue
    instance.live ??= known.live
    health.take(before.health, instance.name)
    overruns.take(before.overruns, instance.name)
    retries.take(before.retries, instance.name)
  }
}

/** `before`: of the gateway whose place this one takes. */
export function createCore(options: GatewayOptions, served: Core['served'], before?: Legacy): Core {
  const times = { ...TIMES, ...options.times }
  const limits = limitsOf(options)
  const warn = options.onWarning ?? (() => {})
  const instances = createInstances(options.providers)
  const health = createHealth()
  const overruns = createOverruns()
  const retries = createRetryBudget(options.retries)
  if (before) inherit(before, { instances, health, overruns, retries })
  const upstreams = createUpstreams(times)
  const leases = createLeases(upstreams)
  const { ledger, budgets } = options
  const book = bookOf(options.prices, warn)
  return {
    instances,
    served,
    upstreams,
    leases,
    aliases: options.models ?? {},
    lists: createLiveLists(instances, { upstreams, leases }, { onWarning: warn, store: options.lists }),
    health,
    overruns,
    retries,
    rateLimits: options.rateLimits,
    times,
    limits,
    download: createDownload({ limit: limits.media, guard: createGuard({ allowPrivate: options.allowPrivateMedia }) }),
    priceOf: ({ instance: { name }, model, facts }, startedAt) =>
      book.priceOf(name, model, startedAt) ??
      (facts?.is === undefined ? undefined : book.priceOf(name, facts.is, startedAt)) ??
      facts?.price,
    answers: (options.answers ? undefined : before?.answers) ?? createAnswers(options.answers, warn),
    estimate: options.estimateTokens ?? ((text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)),
    webSearchMode: options.hostedTools?.webSearch ?? 'provider',
    webSearch: undefined,
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
