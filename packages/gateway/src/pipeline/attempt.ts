import type { Price, Usage } from '@headgate/core/canonical'
import type { FinalRequest, ProviderInstance } from '@headgate/core/contract'
import { targetOf } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import { hopsOf } from '../edge/hops.ts'
import { HOPS, nextHop } from '../http/hops.ts'
import { signatureOf, withQuery } from '../http/request.ts'
import { scrubError } from '../http/scrub.ts'
import { unlessStale } from '../http/stale.ts'
import type { UpstreamCall, UpstreamHandler, UpstreamRequest } from '../http/upstream.ts'
import type { Outcome } from '../routing/attempts.ts'
import type { Candidate } from '../routing/candidates.ts'
import type { Instance } from '../routing/catalog.ts'
import { charge, costOfFailure, type NotedAttempt, STARTED } from './charge.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { wireOf } from './trace.ts'

const USER_AGENT = 'headgate'

/** A request to a provider, before the credential: a POST. */
export interface Outgoing {
  /** Below the base URL, or a whole URL. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Origin and path prefix of a base URL, parsed once a provider. */
const endpoints = new WeakMap<ProviderInstance, { origin: string; prefix: string }>()

function endpointOf(provider: ProviderInstance): { origin: string; prefix: string } {
  let endpoint = endpoints.get(provider)
  if (!endpoint) {
    const url = new URL(provider.baseUrl ?? '')
    endpoint = { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
    endpoints.set(provider, endpoint)
  }
  return endpoint
}

/** Origin and path of a request; only a whole URL has to be looked at. */
function placeOf(provider: ProviderInstance, path: string): { origin: string; path: string } {
  if (/^https?:/.test(path)) {
    const url = targetOf(provider, path)
    return { origin: url.origin, path: url.pathname + url.search }
  }
  const { origin, prefix } = endpointOf(provider)
  return { origin, path: `${prefix}${path}` }
}

/** The request as it goes out, but for a signature. */
function unsigned(
  { provider, waiting }: Instance,
  outgoing: Outgoing,
  context: Context,
  mayRepeat: () => boolean,
): UpstreamRequest {
  const { credential } = provider
  const place = placeOf(provider, outgoing.path)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...outgoing.headers,
  }
  if (provider.isElsewhere) headers[HOPS] = nextHop(hopsOf(context.incoming))
  if (credential.kind === 'header') headers[credential.name] = credential.value
  const path = credential.kind === 'query' ? withQuery(place.path, credential.name, credential.value) : place.path
  return { method: 'POST', origin: place.origin, path, headers, body: outgoing.body, mayRepeat, waiting }
}

/** One attempt at one candidate while it runs. */
export interface Attempt {
  /**
   * Ends it, once: what still runs of it is aborted, its row is noted, then `answer` is run. The request goes on when
   * what that gives has resolved.
   */
  done(outcome: Outcome, answer?: () => Promise<void> | undefined): void
  isOver(): boolean
  /** HTTP status of the upstream's answer. */
  status: number | undefined
  /** The upstream answered with a complete error response. */
  refused: boolean
  /** Usage that came with a failure, and the price that applies: it settles the attempt. */
  used: { readonly usage: Usage; readonly price: Price | undefined } | undefined
  call: UpstreamCall | undefined
}

/** What becomes of one attempt's answer. */
export interface Consumer extends UpstreamHandler {
  /** The caller has left, or the deadline has passed. */
  stop(error: HeadgateError): void
}

/** Begins an attempt. `signal` is for what is not an upstream call; it aborts when the attempt ends. */
function createAttempt(
  context: Context,
  candidate: Candidate,
  resolve: (outcome: Outcome) => void,
  reject: (error: unknown) => void,
): { attempt: Attempt; signal: () => AbortSignal } {
  const startedAt = Date.now()
  const begunAt = now()
  let over = false
  let abort: AbortController | undefined
  const attempt: Attempt = {
    status: undefined,
    refused: false,
    used: undefined,
    call: undefined,
    isOver: () => over,
    done(outcome, answer) {
      if (over) return
      over = true
      const result = outcome === 'served' ? outcome : scrubError(outcome, candidate.instance.provider)
      context.running = undefined
      attempt.call?.abort()
      abort?.abort()
      const row: NotedAttempt = {
        provider: candidate.instance.name,
        model: candidate.model,
        startedAt,
        durationMs: since(begunAt),
        status: attempt.status,
        failure: outcome === 'served' ? undefined : outcome.kind,
        // What was served costs what its family says of it.
        cost:
          outcome === 'served'
            ? null
            : costOfFailure({
                call: attempt.call,
                refused: attempt.refused,
                billing: candidate.instance.provider.billing,
              }),
        priceId: null,
      }
      if (outcome !== 'served' && attempt.used) charge(row, attempt.used.usage, attempt.used.price)
      context.attempts.push(row)
      try {
        const answered = answer?.()
        if (answered) answered.then(() => resolve(result), reject)
        else resolve(result)
      } catch (error) {
        reject(error)
      }
    },
  }
  const signal = (): AbortSignal => {
    abort ??= new AbortController()
    if (over) abort.abort()
    return abort.signal
  }
  return { attempt, signal }
}

/** A credential that can not be had is ours to mend; another provider may still serve. */
function unobtained(error: unknown): HeadgateError {
  return HeadgateError.is(error)
    ? error
    : new HeadgateError('our-credential', 'The request could not be signed.', { cause: error })
}

/**
 * Sends a request to its provider and hands the answer to a consumer. Where the answer says that what a credential
 * leases is no longer taken, it is sent once more with what is obtained anew. Only such a credential makes a request
 * wait.
 */
export function attemptRemote(
  core: Core,
  context: Context,
  candidate: Candidate,
  outgoing: Outgoing,
  consume: (attempt: Attempt) => Consumer,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { attempt, signal } = createAttempt(context, candidate, resolve, reject)
    const { provider, name } = candidate.instance
    const { credential } = provider
    // A repetition that budgets do not know of could be charged twice.
    const mayRepeat = (): boolean => context.holding === undefined && core.retries.mayAgain(name, now())
    const consumer = consume(attempt)
    context.running = consumer

    const dispatch = (request: UpstreamRequest, handler: UpstreamHandler): void => {
      if (!attempt.isOver()) attempt.call = wireOf(core, context, name, provider).upstreams.call(request, handler)
    }
    const sendSigned = (
      signing: Extract<typeof credential, { kind: 'signed' }>,
      request: UpstreamRequest,
      isFirst: boolean,
    ): void => {
      const begin = (material: unknown): void => {
        const final: FinalRequest = {
          method: request.method,
          url: new URL(request.path, request.origin),
          headers: request.headers,
          body: request.body ?? '',
        }
        const headers = { ...request.headers, ...signatureOf(signing, final, material) }
        const isStale = signing.stale ?? (({ status }) => status === 401)
        const again = (): void => {
          core.leases.drop(signing, material)
          sendSigned(signing, request, false)
        }
        dispatch({ ...request, headers }, isFirst && signing.lease ? unlessStale(consumer, isStale, again) : consumer)
      }
      const material = core.leases.material(signing, signal)
      if (material instanceof Promise) material.then(begin).catch((error: unknown) => consumer.fail(unobtained(error)))
      else begin(material)
    }
    try {
      const request = unsigned(candidate.instance, outgoing, context, mayRepeat)
      if (credential.kind === 'signed') sendSigned(credential, request, true)
      else dispatch(request, consumer)
    } catch (error) {
      consumer.fail(credential.kind === 'signed' ? unobtained(error) : asError(error))
    }
  })
}

/** Runs what serves a candidate in this process. */
export function attemptLocal(
  context: Context,
  candidate: Candidate,
  run: (attempt: Attempt, signal: AbortSignal) => Promise<void>,
  stop: (attempt: Attempt, error: HeadgateError) => void,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { attempt, signal } = createAttempt(context, candidate, resolve, reject)
    attempt.call = { ...STARTED, pause() {}, resume() {}, abort() {} }
    context.running = { stop: (error) => stop(attempt, error) }
    void run(attempt, signal())
  })
}
