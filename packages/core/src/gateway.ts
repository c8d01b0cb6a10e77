import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Json } from './canonical/json.ts'
import { now, since } from './clock.ts'
import type { Principal } from './contract/ledger.ts'
import type { GatewayOptions } from './contract/ports.ts'
import { answerError, answerJson } from './edge/answer-error.ts'
import { answerSocket, isUnanswered, readClientError } from './edge/client-error.ts'
import { checkExpectation, checkOrigin, credentialOf } from './edge/credential.ts'
import type { ErrorWriter } from './edge/error-writer.ts'
import { fetchIncoming, fetchSink } from './edge/fetch.ts'
import { createInFlight, type InFlightEntry } from './edge/in-flight.ts'
import { nodeIncoming } from './edge/node.ts'
import { isTooLate, nodeSink } from './edge/node-sink.ts'
import { openapiDocument } from './edge/openapi.ts'
import { objectAnswer } from './edge/operation.ts'
import { requestId } from './edge/request-id.ts'
import { createRoom, type Share } from './edge/room.ts'
import { createRouter, type Routed } from './edge/router.ts'
import type { Incoming, Sink } from './edge/sink.ts'
import { asError, HeadgateError, traceOf } from './errors.ts'
import { families as FAMILIES } from './families/index.ts'
import { chatCompletions } from './formats/chat-completions/index.ts'
import { type Context, createContext, stopContext } from './pipeline/context.ts'
import { createCore } from './pipeline/core.ts'
import { type Family, type ServedRoute, servedBy } from './pipeline/family.ts'
import { listing } from './routing/catalog.ts'

/** How long the start waits for lists of models, in milliseconds. */
const LIST_PATIENCE_MS = 3_000

/** One gateway in front of the providers that it was given. */
export interface Gateway {
  /**
   * Handles a request of `node:http`: the hot path. `awaitsContinue`: it is one of the server's `checkContinue`, and the caller is
   * told to send its body once that is wanted.
   */
  node(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): void
  /** Handles `clientError` of a server of `node:http`: answers, in the caller's format as far as it shows, what is no request. */
  clientError(error: Error, socket: Duplex): void
  /** Handles a request of the fetch API. */
  fetch(request: Request): Promise<Response>
  /** Resolves when the providers' lists of models are loaded, after 3 s at the latest. */
  ready(): Promise<void>
  /** OpenAPI 3.1 of the API. */
  openapi(): Json
  /** Providers in order of priority, with the number of models that they list. */
  describe(): readonly { name: string; models: number | 'unknown' }[]
  /** Requests that are being served. */
  inFlight(): number
  /** Resolves when what is running has ended and every connection is closed. */
  close(): Promise<void>
  /** Ends what is still running. */
  abort(): void
}

/** A request before it is known who calls. */
interface Arrival extends InFlightEntry {
  readonly id: string
  readonly incoming: Incoming
  readonly sink: Sink
  readonly startedAt: number
  readonly begunAt: number
  readonly path: string
  readonly query: string
  context: Context | undefined
  /** What its body takes of the room that all have. */
  readonly share: Share
}

/** Puts a gateway together. Without `authenticate` every request is refused. @throws TypeError when two providers share a name. */
export function createGateway(options: GatewayOptions): Gateway {
  return createGatewayOf(FAMILIES, options)
}

/** A gateway of other families than those that there are. */
export function createGatewayOf(families: readonly Family[], options: GatewayOptions): Gateway {
  const core = createCore(options, servedBy(families))
  const { authenticate, onAccess, basePath = '', origins = [] } = options
  const open = families.flatMap((family) => family.open(core, options) ?? [])
  const running = createInFlight<Arrival>()
  const room = createRoom(core.limits.bodies)
  let idle: (() => void) | undefined

  const document = (): Json => openapiDocument(basePath, routes, Object.assign({}, ...families.map(({ schemas }) => schemas)))
  const routes: readonly ServedRoute[] = [
    ...open.flatMap((family) => family.routes),
    {
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

  const begin = (arrival: Arrival, principal: Principal): Context => {
    const { id, incoming, sink, startedAt, begunAt, path, share } = arrival
    const context = createContext({ id, incoming, sink, principal, startedAt, begunAt, path, share })
    arrival.context = context
    arrival.sink.onClose((why) => {
      context.gone = true
      stopContext(context, why ?? new HeadgateError('cancelled', 'The caller has left.'))
    })
    return context
  }

  const routed = ({ path, incoming }: Arrival): Routed<ServedRoute> => {
    checkOrigin(incoming, origins)
    checkExpectation(incoming)
    const found = path.startsWith(basePath) ? router.find(path.slice(basePath.length), incoming.method) : undefined
    if (found) return found
    throw new HeadgateError('not-found', `There is no path ${path.slice(0, 200)}. GET ${basePath}/openapi.json lists those that exist.`)
  }

  const enter = (arrival: Arrival): Promise<void> => {
    const { route, parameters } = routed(arrival)
    const { incoming, path, query } = arrival
    const serve = (principal: Principal | undefined): Promise<void> => route.serve(begin(arrival, known(principal)), { parameters, query })
    const found = authenticate?.(credentialOf(incoming), { path })
    return found instanceof Promise ? found.then(serve) : serve(found)
  }

  const errorsOf = (path: string, incoming: Pick<Incoming, 'method' | 'headers'>): ErrorWriter => {
    const inside = path.slice(basePath.length)
    for (const family of families) {
      const errors = family.errors(inside, incoming)
      if (errors) return errors
    }
    return chatCompletions
  }

  const record = (arrival: Arrival, error?: HeadgateError): void => {
    const { context } = arrival
    onAccess?.({
      requestId: arrival.id,
      method: arrival.incoming.method,
      path: arrival.path,
      status: error ? (context?.gone ? 499 : error.status) : (context?.status ?? (context?.gone ? 499 : 200)),
      durationMs: since(arrival.begunAt),
      ...(context && { principal: context.principal.id }),
      ...(context?.row && { usage: context.row }),
      ...(error && { error: { kind: error.kind, message: error.message } }),
    })
  }

  const handle = async (incoming: Incoming, sink: Sink): Promise<void> => {
    const mark = incoming.url.indexOf('?')
    const path = mark < 0 ? incoming.url : incoming.url.slice(0, mark)
    const query = mark < 0 ? '' : incoming.url.slice(mark + 1)
    const arrival: Arrival = {
      id: requestId(),
      incoming,
      sink,
      startedAt: Date.now(),
      begunAt: now(),
      path,
      query,
      context: undefined,
      share: room.share(),
      place: 0,
    }
    running.add(arrival)
    let failure: HeadgateError | undefined
    try {
      await enter(arrival)
    } catch (error) {
      failure = asError(error)
      // A body that arrived together with its head has then arrived.
      await immediate()
      if (failure.kind === 'internal') options.onWarning?.(`Request ${arrival.id} failed in the gateway: ${traceOf(failure)}`)
      if (arrival.context?.status !== undefined) sink.destroy()
      else if (!arrival.context?.gone) answerError(sink, errorsOf(path, incoming), failure, arrival.id)
    } finally {
      running.remove(arrival)
      arrival.share.release()
      if (running.entries.length === 0) idle?.()
      record(arrival, failure)
    }
  }

  // What even the handling of failures did not foresee ends one answer, never the process.
  const serve = (incoming: Incoming, sink: Sink): void => {
    handle(incoming, sink).catch((error: unknown) => {
      options.onWarning?.(`A request could not be handled: ${traceOf(error)}`)
      sink.destroy()
    })
  }

  const settled = (): Promise<void> => (running.entries.length === 0 ? Promise.resolve() : new Promise((resolve) => (idle = resolve)))

  const end = async (): Promise<void> => {
    core.lists.close()
    await settled()
    await core.upstreams.close()
    await Promise.all([...core.instances.map(({ provider }) => provider.close?.()), ...open.map((family) => family.close?.())])
  }
  let ending: Promise<void> | undefined

  return {
    node(request, response, awaitsContinue = false) {
      if (isTooLate(request)) return
      serve(nodeIncoming(request, response, core.times, awaitsContinue), nodeSink(request, response, core.times))
    },
    clientError(error, socket) {
      // What comes after an answer to such an error is as wrong.
      if (socket.writableEnded) return
      const { method, path, refusal } = readClientError(error)
      if (!refusal || !isUnanswered(socket)) return void socket.destroy()
      const id = requestId()
      answerSocket(socket, errorsOf(path, { method, headers: {} }), refusal, id)
      onAccess?.({
        requestId: id,
        method,
        path,
        status: refusal.status,
        durationMs: 0,
        error: { kind: refusal.kind, message: refusal.message },
      })
    },
    async fetch(request) {
      const { sink, response } = fetchSink(request.signal, core.times)
      serve(fetchIncoming(request, core.times), sink)
      return response
    },
    ready: () => core.lists.load(LIST_PATIENCE_MS),
    openapi: document,
    describe: () =>
      core.instances.map((instance) => ({
        name: instance.name,
        models: instance.closed || instance.live || instance.known.size > 0 ? listing(instance).length : ('unknown' as const),
      })),
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
}
