import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Format } from './canonical/format.ts'
import type { Json } from './canonical/json.ts'
import { now, since } from './clock.ts'
import { answerError, answerJson, type ErrorWriter } from './edge/answer-error.ts'
import { readBody } from './edge/body.ts'
import { answerSocket, isUnanswered, readClientError } from './edge/client-error.ts'
import { checkExpectation, checkOrigin, credentialOf } from './edge/credential.ts'
import { type Door, formatOfCaller, routeOf, SEARCH, SEARCH_FORMAT } from './edge/router.ts'
import { fetchIncoming, fetchSink } from './edge/fetch.ts'
import { nodeIncoming } from './edge/node.ts'
import { isTooLate, nodeSink } from './edge/node-sink.ts'
import { openapiDocument } from './edge/openapi.ts'
import { requestId } from './edge/request-id.ts'
import { createInFlight, type InFlightEntry } from './edge/in-flight.ts'
import { createRoom, roomByDefault, type Share } from './edge/room.ts'
import type { Incoming, Sink } from './edge/sink.ts'
import { asError, HeadgateError, traceOf } from './errors.ts'
import { serveChat } from './families/chat/serve.ts'
import type { Core } from './pipeline/core.ts'
import { serveCountTokens } from './families/chat/count-tokens.ts'
import { listModels, modelsAnswer } from './families/models/list.ts'
import { modelsOf } from './pipeline/permission.ts'
import { writeSearchError } from './families/search/error.ts'
import { createSearchFamily } from './families/search/family.ts'
import { serveSearch } from './families/search/serve.ts'
import { createContext, stopContext, type Context } from './pipeline/context.ts'
import { formats } from './formats/index.ts'
import { createDownload } from './http/download.ts'
import { createUpstreams } from './http/upstream.ts'
import type { Principal } from './contract/ledger.ts'
import type { GatewayOptions, Limits, Times } from './contract/ports.ts'
import { createInstances, listing } from './routing/catalog.ts'
import { createHealth } from './routing/health.ts'
import { createLiveLists } from './routing/live-lists.ts'

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
const LIMITS: Omit<Limits, 'bodies'> = { body: 32 * 1024 * 1024, values: 1_000_000, answer: 64 * 1024 * 1024, media: 20 * 1024 * 1024 }
/** Of English prose, about. */
const CHARACTERS_PER_TOKEN = 4
/** How long the start waits for lists of models, in milliseconds. */
const LIST_PATIENCE_MS = 3_000

const searchErrors: ErrorWriter = { writeError: writeSearchError }

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

function defaultFormat(): Format {
  const format = formats.get('chat-completions')
  if (!format) throw new TypeError('There is no format chat-completions.')
  return format
}

function limitsOf(options: GatewayOptions): Limits {
  const limits = { ...LIMITS, ...options.limits }
  return { ...limits, bodies: options.limits?.bodies ?? roomByDefault(limits.body) }
}

function createCore(options: GatewayOptions): Core {
  const times = { ...TIMES, ...options.times }
  const limits = limitsOf(options)
  const warn = options.onWarning ?? (() => {})
  const instances = createInstances(options.providers)
  const upstreams = createUpstreams(times)
  const { ledger, prices = {} } = options
  return {
    instances,
    upstreams,
    aliases: options.models ?? {},
    lists: createLiveLists(instances, upstreams, { onWarning: warn, store: options.lists }),
    health: createHealth(),
    times,
    limits,
    download: createDownload({ limit: limits.media, allowPrivate: options.allowPrivateMedia }),
    priceOf: ({ instance, model, facts }) => prices[`${instance.name}/${model}`] ?? facts?.price,
    estimate: options.estimateTokens ?? ((text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)),
    settle(row) {
      const failed = (error: unknown): void =>
        warn(`A usage row could not be settled: ${error instanceof Error ? error.message : String(error)}`)
      try {
        const settling = ledger?.settle(row)
        return settling instanceof Promise ? settling.catch(failed) : undefined
      } catch (error) {
        failed(error)
        return undefined
      }
    },
  }
}

/** A context before it is known who calls. */
interface Arrival extends InFlightEntry {
  readonly id: string
  readonly incoming: Incoming
  readonly sink: Sink
  readonly startedAt: number
  readonly begunAt: number
  readonly path: string
  readonly query: string
  readonly format: Format
  /** How errors are said. */
  readonly errorWriter: ErrorWriter
  context: Context | undefined
  /** What its body takes of the room that all have. */
  readonly share: Share
}

/** Puts a gateway together. Without `authenticate` every request is refused. @throws TypeError when two providers share a name. */
export function createGateway(options: GatewayOptions): Gateway {
  const core = createCore(options)
  const search = createSearchFamily(options)
  const { authenticate, onAccess, basePath = '', origins = [] } = options
  const fallback = defaultFormat()
  const running = createInFlight<Arrival>()
  const room = createRoom(core.limits.bodies)
  let idle: (() => void) | undefined

  const voiceOf = (caller: string): ErrorWriter => (caller === SEARCH_FORMAT ? searchErrors : (formats.get(caller) ?? fallback))

  const identify = async (incoming: Incoming, path: string): Promise<Principal> => {
    const credential = credentialOf(incoming)
    const found = authenticate?.(credential, { path })
    const principal = found instanceof Promise ? await found : found
    if (principal) return principal
    throw new HeadgateError('bad-key', 'This API key is not known, or has expired or been revoked.')
  }

  const begin = (arrival: Arrival, principal: Principal): Context => {
    const { id, incoming, sink, startedAt, begunAt, format } = arrival
    const context = createContext({ id, incoming, sink, principal, startedAt, begunAt, format })
    arrival.context = context
    arrival.sink.onClose((why) => {
      context.gone = true
      stopContext(context, why ?? new HeadgateError('cancelled', 'The caller has left.'))
    })
    return context
  }

  const enter = async (arrival: Arrival, door: Door): Promise<void> => {
    const { incoming, sink, id } = arrival
    const principal = await identify(incoming, arrival.path)
    switch (door.kind) {
      case 'models':
        answerJson(sink, modelsAnswer(listModels(core.instances, core.aliases, modelsOf(principal)), door.id, arrival.format.id), id)
        return
      case 'openapi':
        answerJson(sink, openapiDocument(basePath, search !== undefined), id)
        return
      case 'chat':
        await serveChat(core, begin(arrival, principal), await readBody(incoming, core.limits, arrival.share), door)
        return
      case 'count-tokens':
        await serveCountTokens(core, begin(arrival, principal), await readBody(incoming, core.limits, arrival.share), door)
        return
      case 'search':
        if (search) await serveSearch(core, search, begin(arrival, principal), arrival)
    }
  }

  const doorOf = (arrival: Arrival): Door => {
    const { path, query, incoming } = arrival
    checkOrigin(incoming, origins)
    checkExpectation(incoming)
    const route = path.startsWith(basePath) ? routeOf(path.slice(basePath.length), query, incoming.method) : undefined
    if (!route || (route === SEARCH && !search))
      throw new HeadgateError('not-found', `There is no path ${path.slice(0, 200)}. GET ${basePath}/openapi.json lists those that exist.`)
    const door = route.methods[incoming.method]
    if (door) return door
    const allow = Object.keys(route.methods).join(', ')
    throw new HeadgateError('method-not-allowed', `${path} answers to ${allow}, not to ${incoming.method.slice(0, 16)}.`, { allow })
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
    const caller = formatOfCaller(path.slice(basePath.length), incoming)
    const format = formats.get(caller) ?? fallback
    const arrival: Arrival = {
      id: requestId(),
      incoming,
      sink,
      startedAt: Date.now(),
      begunAt: now(),
      path,
      query,
      format,
      errorWriter: voiceOf(caller),
      context: undefined,
      share: room.share(),
      place: 0,
    }
    running.add(arrival)
    let failure: HeadgateError | undefined
    try {
      await enter(arrival, doorOf(arrival))
    } catch (error) {
      failure = asError(error)
      // A body that arrived together with its head has then arrived.
      await immediate()
      if (failure.kind === 'internal') options.onWarning?.(`Request ${arrival.id} failed in the gateway: ${traceOf(failure)}`)
      if (arrival.context?.status !== undefined) sink.destroy()
      else if (!arrival.context?.gone) answerError(sink, arrival.errorWriter, failure, arrival.id)
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
    await Promise.all([...core.instances.map(({ provider }) => provider.close?.()), search?.close()])
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
      answerSocket(socket, voiceOf(formatOfCaller(path.slice(basePath.length), { method, headers: {} })), refusal, id)
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
    openapi: () => openapiDocument(basePath, search !== undefined),
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
