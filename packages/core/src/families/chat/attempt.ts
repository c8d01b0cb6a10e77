import { now, since } from '../../clock.ts'
import { asError, HeadgateError } from '../../errors.ts'
import { absolute, authorize, withQuery } from '../../http/exchange.ts'
import { scrubError } from '../../http/scrub.ts'
import type { UpstreamCall, UpstreamHandler, UpstreamRequest } from '../../http/upstream.ts'
import type { HttpRequest, ProviderInstance } from '../../contract/provider.ts'
import type { Outcome } from '../../routing/attempts.ts'
import type { Core } from '../../pipeline/core.ts'
import type { Plan, RemotePlan } from './plan.ts'
import type { Context } from '../../pipeline/context.ts'

const USER_AGENT = 'headgate'

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

function httpRequest(remote: RemotePlan, path: string): HttpRequest {
  const headers = {
    'content-type': 'application/json',
    accept: remote.call.stream ? remote.framing.accept : 'application/json',
    'user-agent': USER_AGENT,
    ...remote.support.headers,
    ...remote.call.headers,
  }
  return { method: 'POST', url: path, headers, body: remote.body }
}

/** The request as it goes out. Only a credential that signs makes it wait. */
function upstreamRequest(
  provider: ProviderInstance,
  remote: RemotePlan,
  signal: () => AbortSignal,
  refresh: boolean,
): UpstreamRequest | Promise<UpstreamRequest> {
  const path = remote.support.path(remote.call)
  const request = httpRequest(remote, path)
  const { credential } = provider
  if (credential.kind === 'sign' || /^https?:/.test(path)) {
    return authorize(provider.baseUrl, credential, { ...request, url: absolute(provider.baseUrl, path) }, { signal: signal(), refresh })
  }
  const { origin, prefix } = endpointOf(provider)
  const whole = `${prefix}${path}`
  const headers: Record<string, string> = { ...request.headers }
  if (credential.kind === 'header') headers[credential.name] = credential.value
  return {
    method: 'POST',
    origin,
    path: credential.kind === 'query' ? withQuery(whole, credential.name, credential.value) : whole,
    headers,
    body: remote.body,
  }
}

/** One attempt at one candidate while it runs. */
export interface Attempt {
  /**
   * Ends it, once: what still runs of it is aborted, its row is noted, then `answer` is run. The request goes on when what
   * that gives has resolved.
   */
  done(outcome: Outcome, answer?: () => Promise<void> | undefined): void
  isOver(): boolean
  /** HTTP status of the upstream's answer. */
  status: number | undefined
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
  plan: Plan,
  resolve: (outcome: Outcome | Promise<Outcome>) => void,
): { attempt: Attempt; signal: () => AbortSignal } {
  const startedAt = Date.now()
  const begunAt = now()
  let over = false
  let abort: AbortController | undefined
  const attempt: Attempt = {
    status: undefined,
    call: undefined,
    isOver: () => over,
    done(outcome, answer) {
      if (over) return
      over = true
      const result = outcome === 'served' ? outcome : scrubError(outcome, plan.candidate.instance.provider)
      context.running = undefined
      attempt.call?.abort()
      abort?.abort()
      context.attempts.push({
        provider: plan.candidate.instance.name,
        model: plan.candidate.model,
        startedAt,
        durationMs: since(begunAt),
        ...(attempt.status !== undefined && { status: attempt.status }),
        ...(outcome !== 'served' && { failure: outcome.kind }),
      })
      try {
        const answered = answer?.()
        resolve(answered ? answered.then(() => result) : result)
      } catch (error) {
        resolve(Promise.reject(error))
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
function unsigned(error: unknown): HeadgateError {
  return HeadgateError.is(error) ? error : new HeadgateError('our-credential', 'The request could not be signed.', { cause: error })
}

/** Sends a plan to its provider and hands the answer to a consumer. A 401 to a signed request is tried once more with a fresh credential. */
export function attemptRemote(
  core: Core,
  context: Context,
  plan: Plan,
  remote: RemotePlan,
  consume: (attempt: Attempt) => Consumer,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const { attempt, signal } = createAttempt(context, plan, resolve)
    const { provider } = plan.candidate.instance
    const consumer = consume(attempt)
    context.running = consumer

    /** Only a signed request can be sent again with a fresh credential. */
    const refreshing: UpstreamHandler = {
      head(status, headers) {
        if (status !== 401) return consumer.head(status, headers)
        attempt.call?.abort()
        send(true)
      },
      data: (chunk) => consumer.data(chunk),
      end: () => consumer.end(),
      fail: (error) => consumer.fail(error),
    }
    const begin = (request: UpstreamRequest, refresh: boolean): void => {
      const handler = provider.credential.kind === 'sign' && !refresh ? refreshing : consumer
      if (!attempt.isOver()) attempt.call = core.upstreams.call(request, handler)
    }
    const send = (refresh: boolean): void => {
      try {
        const request = upstreamRequest(provider, remote, signal, refresh)
        if (!(request instanceof Promise)) begin(request, refresh)
        else request.then((ready) => begin(ready, refresh)).catch((error: unknown) => consumer.fail(unsigned(error)))
      } catch (error) {
        consumer.fail(asError(error))
      }
    }
    send(false)
  })
}

/** Runs a plan in this process. */
export function attemptLocal(
  context: Context,
  plan: Plan,
  run: (attempt: Attempt, signal: AbortSignal) => Promise<void>,
  stop: (attempt: Attempt, error: HeadgateError) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const { attempt, signal } = createAttempt(context, plan, resolve)
    context.running = { stop: (error) => stop(attempt, error) }
    void run(attempt, signal())
  })
}
