import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Json } from '@headgate/core/canonical'
import { asError, HeadgateError, traceOf } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import { now } from './clock.ts'
import { answerError, answerJson } from './edge/answer-error.ts'
import { behind, canonicalPath } from './edge/canonical-path.ts'
import { answerSocket, isUnanswered, readClientError } from './edge/client-error.ts'
import { checkExpectation, credentialOf } from './edge/credential.ts'
import type { ErrorWriter } from './edge/error-writer.ts'
import { fetchIncoming, fetchSink } from './edge/fetch.ts'
import { checkHops } from './edge/hops.ts'
import { createInFlight } from './edge/in-flight.ts'
import { meantPath, missingPath } from './edge/missing-path.ts'
import { nodeIncoming } from './edge/node.ts'
import { isTooLate, nodeSink } from './edge/node-sink.ts'
import { openapiDocument, withPart } from './edge/openapi.ts'
import { objectAnswer } from './edge/operation.ts'
import { answerPreflight, checkOrigin, isPreflight, readableBy } from './edge/origin.ts'
import { requestId } from './edge/request-id.ts'
import { createRouter, type Routed } from './edge/router.ts'
import type { Incoming, Sink } from './edge/sink.ts'
import { stopContext } from './edge/stop.ts'
import { tagsOf } from './edge/tags.ts'
import { families as FAMILIES } from './families/index.ts'
import { createMemoryQuota } from './http/memory.ts'
import type { GatewayOptions } from './ports/gateway-options.ts'
import type { Principal } from './ports/ledger.ts'
import { listing } from './routing/catalog.ts'
import type { HealthReport } from './routing/health.ts'
import { type Arrival, accessOf, arrive, failureOf, NOBODY } from './serve/arrival.ts'
import { type Context, createContext } from './serve/context.ts'
import { type Core, createCore } from './serve/core.ts'
import { checkDryRun } from './serve/dry-run.ts'
import { dryRunSchema } from './serve/dry-run-answer.ts'
import { type Family, type ServedRoute, servedBy } from './serve/family.ts'
import { checkOptions } from './serve/options.ts'
import { checkAddress, checkFamily } from './serve/permission.ts'
import { leavePlace } from './serve/rates.ts'
import { createTracing, type Tracing } from './serve/trace.ts'

/** How long the start waits for lists of models, in milliseconds. */
const LIST_PATIENCE_MS = 3_000

/** What edge runtimes pass beside a request. @see https://developers.cloudflare.com/workers/runtime-apis/context/ */
export interface FetchContext {
  /** Keeps the request's work running until the promise settles, also when the caller has left. */
  waitUntil?(promise: Promise<unknown>): void
}

/** One gateway in front of the providers that it was given. */
export interface Gateway {
  /**
   * Handles a request of `node:http`: the hot path. `awaitsContinue`: it is one of the server's `checkContinue`, and
   * the caller is told to send its body once that is wanted.
   */
  node(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): void
  /**
   * Handles `clientError` of a server of `node:http`: answers, in the caller's format as far as it shows, what is no
   * request.
   */
  clientError(error: Error, socket: Duplex): void
  /**
   * Handles a request of the fetch API. An edge runtime hands over its `context`, so that it lets the request settle
   * its usage.
   */
  fetch(request: Request, context?: FetchContext): Promise<Response>
  /** Resolves when the providers' lists of models are loaded, after 3 s at the latest. */
  ready(): Promise<void>
  /** OpenAPI 3.1 of the API. */
  openapi(): Json
  /** Providers in order of priority, with the number of models that they list. */
  describe(): readonly { name: string; models: number | 'unknown' }[]
  /**
   * What rests, failed lately or exceeded limits of its output, of providers and of search backends (`search/<name>`),
   * as far as this process knows.
   */
  health(): readonly HealthReport[]
  /** Requests that are being served. */
  inFlight(): number
  /** Resolves when what is running has ended and every connection is closed. */
  close(): Promise<void>
  /** Ends what is still running. */
  abort(): void
}

/** A route with the family that it is of; undefined = what every key may ask. */
interface OwnedRoute extends ServedRoute {
  readonly family: string | undefined
}

/**
 * Puts a gateway together. Without `authenticate` every request is refused. @throws TypeError when `providers` is
 * missing or holds what is no provider, or when two share a name.
 */
export function createGateway(options: GatewayOptions): Gateway {
  return createGatewayOf(FAMILIES, options)
}

/** What gateways are made of, for those that take their place. */
const cores = new WeakMap<object, Core>()

/** A gateway of other families than those that there are. */
export function createGatewayOf(families: readonly Family[], options: GatewayOptions): Gateway {
  checkOptions(options)
  const opened = new Set<string>()
  const core = createCore(
    options,
    servedBy(families, (id) => opened.has(id)),
    options.after && cores.get(options.after),
  )
  const { authenticate, onAccess, traces, basePath = '', origins = [], trustedProxies } = options
  const open = families.flatMap(({ id, kind, open }) => {
    const one = open(core, options)
    if (!one) return []
    opened.add(id)
    return {
      ...one,
      routes: one.routes.map((route): OwnedRoute => ({ ...route, family: kind === 'gateway' ? undefined : id })),
    }
  })
  const running = createInFlight<Arrival>()
  const memory = createMemoryQuota({ total: core.limits.memory, perKey: core.limits.keyMemory })
  let idle: (() => void) | undefined

  const document = (): Json => {
    const own = openapiDocument(
      basePath,
      routes,
      Object.assign({ 'dry-run': dryRunSchema }, ...families.map(({ schemas }) => schemas)),
    )
    return options.openapi ? withPart(own, options.openapi()) : own
  }
  const routes: readonly OwnedRoute[] = [
    ...open.flatMap(({ routes }) => routes),
    {
      family: undefined,
      method: 'GET',
      path: '/openapi.json',
      operation: { id: 'openapi', summary: 'This document.', responses: objectAnswer('OpenAPI 3.1.') },
      serve: async ({ sink, id }) => answerJson(sink, document(), id),
    },
  ]
  const router = createRouter(routes)

  const known = (principal: Principal | undefined): Principal => {
    if (principal) return principal
    throw new HeadgateError('bad-key', 'This API key is not known, or has expired or been revoked.')
  }

  const tracingOf = (
    { id, incoming, sink, startedAt }: Arrival,
    { id: principal, tracedUntil }: Principal,
  ): Tracing | undefined => {
    if (tracedUntil === undefined || !traces || tracedUntil <= startedAt) return undefined
    return createTracing({ requestId: id, principal, startedAt }, incoming, sink)
  }

  const begin = (arrival: Arrival, principal: Principal, isDryRun: boolean): Context => {
    const { id, startedAt, begunAt, at, memory } = arrival
    memory.key = principal.id
    const trace = tracingOf(arrival, principal)
    const { incoming, sink } = trace ?? arrival
    const tags = tagsOf(incoming)
    const context = createContext({
      id,
      incoming,
      sink,
      principal,
      startedAt,
      begunAt,
      path: at,
      memory,
      isDryRun,
      tags,
      trace,
    })
    arrival.context = context
    arrival.sink.onClose((why) => {
      // What is made in the background continues without its caller.
      if (context.sink !== sink) return
      context.gone = true
      stopContext(context, why ?? new HeadgateError('cancelled', 'The caller has left.'))
    })
    return context
  }

  const routed = (arrival: Arrival): Routed<OwnedRoute> => {
    const { path, incoming } = arrival
    checkExpectation(incoming)
    checkHops(incoming)
    const found = path.startsWith(basePath) ? router.find(path.slice(basePath.length), incoming.method) : undefined
    if (found) return found
    const inside = behind(basePath, path)
    const canonical = inside === undefined ? undefined : canonicalPath(inside)
    const other = canonical === undefined || canonical === inside ? undefined : router.find(canonical, incoming.method)
    if (!other) throw missingPath(path, basePath)
    arrival.at = `${basePath}${canonical}`
    return other
  }

  const enter = (arrival: Arrival): Promise<void> | undefined => {
    const { incoming, query, sink, id } = arrival
    checkOrigin(incoming, origins)
    if (origins.length > 0 && isPreflight(incoming)) return void answerPreflight(sink, incoming, id)
    const { route, parameters } = routed(arrival)
    const { at } = arrival
    const serve = (principal: Principal | undefined): Promise<void> => {
      const caller = known(principal)
      checkAddress(caller, incoming.address)
      if (route.family !== undefined) checkFamily(caller, route.family)
      return route.serve(begin(arrival, caller, checkDryRun(incoming, route)), {
        parameters,
        path: at.slice(basePath.length),
        query,
      })
    }
    if (route.isSigned) return serve(NOBODY)
    const found = authenticate?.(credentialOf(incoming), { path: at, address: incoming.address })
    return found instanceof Promise ? found.then(serve) : serve(found)
  }

  const errorsOf = (path: string, incoming: Pick<Incoming, 'method' | 'headers'>): ErrorWriter => {
    for (const meant of meantPath(path, basePath)) {
      for (const family of families) {
        const errors = family.errors(meant, incoming)
        if (errors) return errors
      }
    }
    return chatCompletions
  }

  const keep = (trace: Tracing): void => {
    try {
      traces?.keep(trace.done())
    } catch (error) {
      options.onWarning?.(`What went over the wire could not be kept: ${traceOf(error)}`)
    }
  }

  /** Returns the memory of a request that has ended, except for what its caller has not received yet. */
  const returnMemory = ({ memory, sink }: Arrival): void => {
    const unsent = sink.unsent()
    memory.keep(unsent)
    if (unsent > 0) sink.onSettled(() => memory.release())
  }

  const handle = async (incoming: Incoming, plain: Sink): Promise<void> => {
    const sink = origins.length > 0 ? readableBy(origins, incoming, plain) : plain
    const arrival = arrive(incoming, sink, memory.lease())
    running.add(arrival)
    let failure: HeadgateError | undefined
    try {
      await enter(arrival)
    } catch (error) {
      failure = asError(error)
      // A body that arrived together with its head has then arrived.
      await immediate()
      const isOurs = failure.kind === 'internal' || (failure.kind === 'unavailable' && failure.cause !== undefined)
      if (isOurs) options.onWarning?.(`Request ${arrival.id} failed in the gateway: ${traceOf(failure)}`)
      if (arrival.context?.status !== undefined) arrival.context.sink.destroy()
      else if (!arrival.context?.gone)
        answerError(
          arrival.context?.sink ?? sink,
          errorsOf(arrival.path, incoming),
          failure,
          arrival.id,
          arrival.context?.rateHeaders,
        )
    } finally {
      running.remove(arrival)
      returnMemory(arrival)
      if (arrival.context?.place) leavePlace(arrival.context)
      arrival.context?.holding?.end()
      if (running.entries.length === 0) idle?.()
      onAccess?.(accessOf(arrival, failure))
      if (arrival.context?.trace) keep(arrival.context.trace)
    }
  }

  // What even the handling of failures did not foresee ends one answer, never the process.
  const serve = (incoming: Incoming, sink: Sink): Promise<void> =>
    handle(incoming, sink).catch((error: unknown) => {
      options.onWarning?.(`A request could not be handled: ${traceOf(error)}`)
      sink.destroy()
    })

  const settled = (): Promise<void> =>
    running.entries.length === 0 ? Promise.resolve() : new Promise((resolve) => (idle = resolve))

  const end = async (): Promise<void> => {
    core.lists.close()
    await settled()
    await Promise.all(open.map(({ close }) => close?.()))
    await core.upstreams.close()
    await Promise.all(core.instances.map(({ provider }) => provider.close?.()))
  }
  let ending: Promise<void> | undefined

  const gateway: Gateway = {
    node(request, response, awaitsContinue = false) {
      if (isTooLate(request)) return
      const incoming = nodeIncoming(request, response, { times: core.times, basePath, awaitsContinue, trustedProxies })
      serve(incoming, nodeSink(request, response, core.times))
    },
    clientError(error, socket) {
      // What comes after an answer to such an error is as wrong.
      if (socket.writableEnded) return
      const { method, path, refusal } = readClientError(error)
      if (!refusal || !isUnanswered(socket)) return void socket.destroy()
      const id = requestId(Date.now())
      answerSocket(socket, errorsOf(path, { method, headers: {} }), refusal, id)
      onAccess?.({
        requestId: id,
        method,
        path,
        status: refusal.status,
        durationMs: 0,
        error: failureOf(refusal),
      })
    },
    async fetch(request, context) {
      const { sink, response } = fetchSink(request, core.times)
      const served = serve(fetchIncoming(request, core.times), sink)
      context?.waitUntil?.(served)
      return response
    },
    ready: () => core.lists.load(LIST_PATIENCE_MS),
    openapi: document,
    describe: () =>
      core.instances.map((instance) => ({
        name: instance.name,
        models:
          instance.closed || instance.live || instance.known.size > 0 ? listing(instance).length : ('unknown' as const),
      })),
    health: () => core.health.report(now(), core.overruns),
    inFlight: () => running.entries.length,
    close: () => (ending ??= end()),
    abort() {
      const reason = new HeadgateError('cut', 'The gateway is shutting down.')
      for (const { context, sink } of running.entries) {
        if (context) stopContext(context, reason)
        else sink.destroy()
      }
    },
  }
  cores.set(gateway, core)
  return gateway
}
