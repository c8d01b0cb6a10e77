import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Json } from '@headgate/core/canonical'
import { asError, HeadgateError, traceOf } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import { now } from './clock.ts'
import { attemptsHeader } from './edge/attempts-header.ts'
import { behind, canonicalPath } from './edge/canonical-path.ts'
import { headerClaims } from './edge/claims.ts'
import { canRespond, readClientError, sendSocketError } from './edge/client-error.ts'
import { checkExpectation, credentialOf } from './edge/credential.ts'
import { sendError, sendJson } from './edge/error-response.ts'
import type { ErrorWriter } from './edge/error-writer.ts'
import { fetchIncoming, fetchSink } from './edge/fetch.ts'
import { checkHops } from './edge/hops.ts'
import { createInFlight, type InFlight } from './edge/in-flight.ts'
import { intendedPaths, missingPath } from './edge/missing-path.ts'
import { nodeIncoming } from './edge/node.ts'
import { isTooLate, nodeSink } from './edge/node-sink.ts'
import { openapiDocument, withPart } from './edge/openapi.ts'
import { objectResponse } from './edge/operation.ts'
import { checkOrigin, isPreflight, readableBy, sendPreflight } from './edge/origin.ts'
import { requestId } from './edge/request-id.ts'
import { createRouter, type Routed, type Router } from './edge/router.ts'
import type { Incoming, ResponseHeaders, Sink } from './edge/sink.ts'
import { stopContext } from './edge/stop.ts'
import { tagsOf } from './edge/tags.ts'
import { requestTraceOf } from './edge/trace-context.ts'
import { families as FAMILIES } from './families/index.ts'
import { createMemoryQuota, type MemoryQuota } from './http/memory.ts'
import type { GatewayOptions } from './ports/gateway-options.ts'
import type { Principal } from './ports/ledger.ts'
import type { RefusalSink } from './ports/refusals.ts'
import type { Cooldowns, PromptCaches } from './ports/routing.ts'
import type { ServiceClass } from './ports/service-class.ts'
import { listedModels } from './routing/catalog.ts'
import type { HealthReport } from './routing/health.ts'
import { type Context, createContext } from './serve/context.ts'
import { type Core, createCore } from './serve/core.ts'
import { checkDryRun } from './serve/dry-run.ts'
import { dryRunSchema } from './serve/dry-run-schema.ts'
import { recordEnd } from './serve/end-record.ts'
import { type Family, type OpenFamily, type ServedRoute, servedBy } from './serve/family.ts'
import { healthReport } from './serve/health-report.ts'
import { hasIdempotencyKey, rereadable, serveOnce } from './serve/idempotency/once.ts'
import { ANONYMOUS, accessOf, createIntake, failureOf, type RequestIntake } from './serve/intake.ts'
import { checkOptions } from './serve/options.ts'
import { checkOverload, createOverload, type Overload, serviceClassOf } from './serve/overload.ts'
import { checkAddress, checkFamily } from './serve/permission.ts'
import { preconnect } from './serve/preconnect.ts'
import { freeSlot } from './serve/rates.ts'
import { createTracing, type Tracing } from './serve/trace.ts'
import { uuidv7 } from './uuid.ts'

/** Maximum time that `ready` waits for model lists, in milliseconds. */
const MAX_LIST_WAIT_MS = 3_000

/**
 * Request context of edge runtimes.
 * @see https://developers.cloudflare.com/workers/runtime-apis/context/
 */
export interface FetchContext {
  /** Keeps the worker running until the promise settles, even if the caller has left. */
  waitUntil?(promise: Promise<unknown>): void
}

/** Gateway in front of the configured providers. */
export interface Gateway {
  /**
   * Handles a request of `node:http`. `awaitsContinue`: the request is from the server's `checkContinue` event; `100
   * Continue` is sent when the body is needed.
   *
   * @example
   * ```ts
   * const server = createServer((request, response) => gateway.node(request, response))
   * server.on('checkContinue', (request, response) => gateway.node(request, response, true))
   * server.on('clientError', (error, socket) => gateway.clientError(error, socket))
   * server.listen(8787)
   * ```
   */
  node(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): void
  /**
   * Handles the `clientError` event of a `node:http` server: sends an error response to malformed requests, in the
   * caller's format if it is known.
   */
  clientError(error: Error, socket: Duplex): void
  /**
   * Handles a request of the fetch API. In an edge runtime, pass its `context`, so that usage is recorded after the
   * response has ended.
   *
   * @example
   * ```ts
   * export default { fetch: (request, env, context) => gateway.fetch(request, context) }
   * ```
   */
  fetch(request: Request, context?: FetchContext): Promise<Response>
  /** Resolves when the providers' model lists are loaded, after 3 s at the latest. Opens connections to providers. */
  ready(): Promise<void>
  /** OpenAPI 3.1 document of the gateway's API. */
  openapi(): Json
  /** Providers in order of priority, with the number of models that they list. */
  describe(): readonly { name: string; models: number | 'unknown' }[]
  /**
   * Providers and search backends (`search/<name>`) that are in cooldown, failed recently, or exceeded output limits,
   * as observed by this process.
   */
  health(): readonly HealthReport[]
  /** Exchange of known prompt caches with other processes of the same program. */
  readonly promptCaches: PromptCaches
  /** Exchange of cooldowns with other processes. */
  readonly cooldowns: Cooldowns
  /** Number of requests in progress. */
  inFlight(): number
  /** Number of requests of a class that wait for the gateway or an endpoint. */
  waiting(serviceClass: ServiceClass): number
  /** Stops background work. Resolves when all requests have ended and all upstream connections are closed. */
  close(): Promise<void>
  /** Aborts all requests in progress. */
  abort(): void
}

/** A route and its family. The family is undefined if every key can use the route. */
interface FamilyRoute extends ServedRoute {
  readonly family: string | undefined
}

/**
 * Creates a gateway. Without `authenticate`, it rejects every request with 401.
 *
 * @throws TypeError if `providers` is missing or contains anything except providers, or if two providers have the same
 * name.
 * @example
 * ```ts
 * const gateway = createGateway({
 *   providers: [openai({ apiKey: process.env.OPENAI_API_KEY })],
 *   authenticate: (credential) => (credential === process.env.GATEWAY_KEY ? { id: 'alice' } : undefined),
 * })
 * createServer((request, response) => gateway.node(request, response)).listen(8787)
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  return createGatewayOf(FAMILIES, options)
}

/** Internal state of each gateway, which its successor takes over. */
const cores = new WeakMap<object, Core>()

/** State that a gateway needs to serve requests. */
interface GatewayState {
  readonly options: GatewayOptions
  readonly core: Core
  readonly families: readonly Family[]
  readonly router: Router<FamilyRoute>
  readonly basePath: string
  readonly origins: readonly string[]
  readonly memory: MemoryQuota
  /** Undefined unless `limits.eventLoopDelay` is set. */
  readonly overload: Overload | undefined
  /** Requests in progress. */
  readonly running: InFlight<RequestIntake>
  /** Called when the last request has ended. */
  idle: (() => void) | undefined
}

/** A family that is open, and its routes. */
interface OpenedFamily extends OpenFamily {
  readonly routes: readonly FamilyRoute[]
}

/** Opens the families that are available with these options. `opened` receives their ids. */
function openFamilies(
  families: readonly Family[],
  core: Core,
  options: GatewayOptions,
  opened: Set<string>,
): readonly OpenedFamily[] {
  return families.flatMap(({ id, kind, open }) => {
    const one = open(core, options)
    if (!one) return []
    opened.add(id)
    const family = kind === 'gateway' ? undefined : id
    return { ...one, routes: one.routes.map((route): FamilyRoute => ({ ...route, family })) }
  })
}

/** Routes of all families, and the route of the OpenAPI document. */
function allRoutes(
  families: readonly Family[],
  open: readonly OpenedFamily[],
  { basePath = '', openapi }: GatewayOptions,
): { readonly routes: readonly FamilyRoute[]; document(): Json } {
  const schemas = Object.assign({ 'dry-run': dryRunSchema }, ...families.map(({ schemas }) => schemas))
  const document = (): Json => {
    const own = openapiDocument(basePath, routes, schemas)
    return openapi ? withPart(own, openapi()) : own
  }
  const routes: readonly FamilyRoute[] = [
    ...open.flatMap(({ routes }) => routes),
    {
      family: undefined,
      method: 'GET',
      path: '/openapi.json',
      operation: { id: 'openapi', summary: 'This document.', responses: objectResponse('OpenAPI 3.1.') },
      serve: async ({ sink, id }) => sendJson(sink, document(), id),
    },
  ]
  return { routes, document }
}

function knownPrincipal(principal: Principal | undefined): Principal {
  if (principal) return principal
  throw new HeadgateError('bad-key', 'This API key is unknown, expired or revoked.')
}

function tracingOf(
  traces: GatewayOptions['traces'],
  { id, incoming, sink, startedAt }: RequestIntake,
  { id: principal, tracedUntil }: Principal,
): Tracing | undefined {
  if (tracedUntil === undefined || !traces || tracedUntil <= startedAt) return undefined
  return createTracing({ requestId: id, principal, startedAt }, incoming, sink)
}

/** Sets the trace of a request before it can be refused, so that a refusal has it too. */
function traceRow(arrival: RequestIntake, path: string, principal: Principal): void {
  arrival.rowTrace = requestTraceOf(arrival.incoming, path, principal)
  arrival.rowId = uuidv7()
}

function begin(
  { options: { traces, refusals } }: GatewayState,
  arrival: RequestIntake,
  principal: Principal,
  { isDryRun, isOnce }: { readonly isDryRun: boolean; readonly isOnce: boolean },
): Context {
  const { id, startedAt, begunAt, at, memory, rowTrace, rowId } = arrival
  memory.key = principal.id
  const trace = tracingOf(traces, arrival, principal)
  const { incoming: given, sink } = trace ?? arrival
  const incoming = isOnce ? rereadable(given) : given
  const tags = tagsOf(incoming)
  const { endUser, session } = headerClaims(incoming)
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
    endUser,
    session,
    recordsWords: refusals !== undefined,
    rowTrace,
    rowId,
    serviceClass: serviceClassOf(incoming, principal),
  })
  arrival.context = context
  arrival.sink.onClose((why) => {
    // Background work and requests with idempotency keys continue without the caller.
    if (context.sink !== sink) return
    context.gone = true
    stopContext(context, why ?? new HeadgateError('canceled', 'The caller has left.'))
  })
  return context
}

function routed({ router, basePath }: GatewayState, arrival: RequestIntake): Routed<FamilyRoute> {
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

function authenticateAndServe(entrance: GatewayState, arrival: RequestIntake): Promise<void> | undefined {
  const { options, basePath, origins, core, overload } = entrance
  const { incoming, query, sink, id } = arrival
  checkOrigin(incoming, origins)
  if (origins.length > 0 && isPreflight(incoming)) return void sendPreflight(sink, incoming, id)
  const { route, parameters } = routed(entrance, arrival)
  const { at } = arrival
  const serve = (principal: Principal | undefined): Promise<void> => {
    const caller = knownPrincipal(principal)
    arrival.principal = caller
    arrival.family = route.family
    if (options.rowTraces) traceRow(arrival, `${basePath}${route.path}`, caller)
    checkAddress(caller, incoming.address)
    if (route.family !== undefined) checkFamily(caller, route.family)
    const isDryRun = checkDryRun(incoming, route)
    const idempotency = route.isIdempotent && !isDryRun && hasIdempotencyKey(incoming) ? core.idempotency : undefined
    const context = begin(entrance, arrival, caller, { isDryRun, isOnce: idempotency !== undefined })
    if (overload && route.family !== undefined) checkOverload(overload, context)
    const match = { parameters, path: at.slice(basePath.length), query }
    if (idempotency) return serveOnce(core, idempotency, context, () => route.serve(context, match))
    return route.serve(context, match)
  }
  if (route.isSigned) return serve(ANONYMOUS)
  const found = options.authenticate?.(credentialOf(incoming), { path: at, address: incoming.address })
  return found instanceof Promise ? found.then(serve) : serve(found)
}

function errorsOf(
  { families, basePath }: GatewayState,
  path: string,
  incoming: Pick<Incoming, 'method' | 'headers'>,
): ErrorWriter {
  for (const meant of intendedPaths(path, basePath)) {
    for (const family of families) {
      const errors = family.errors(meant, incoming)
      if (errors) return errors
    }
  }
  return chatCompletions
}

function storeTrace({ traces, onWarning }: GatewayOptions, trace: Tracing): void {
  try {
    traces?.keep(trace.done())
  } catch (error) {
    onWarning?.(`The wire trace could not be stored: ${traceOf(error)}`)
  }
}

function storeEnd(
  { onWarning }: GatewayOptions,
  refusals: RefusalSink,
  arrival: RequestIntake,
  failure: HeadgateError | undefined,
): void {
  try {
    recordEnd(refusals, arrival, failure)
  } catch (error) {
    onWarning?.(`The end of a request could not be recorded: ${traceOf(error)}`)
  }
}

/** Releases the memory of a request that has ended, except for bytes that the caller has not received yet. */
function returnMemory({ memory, sink }: RequestIntake): void {
  const unsent = sink.unsent()
  memory.keep(unsent)
  if (unsent > 0) sink.onSettled(() => memory.release())
}

/** Additional headers of an error response. */
function failureHeaders(context: Context): ResponseHeaders | undefined {
  const attempts = attemptsHeader(context)
  if (attempts === undefined) return context.rateHeaders
  return Object.assign({ 'headgate-attempts': attempts }, context.rateHeaders)
}

async function handle(entrance: GatewayState, incoming: Incoming, plain: Sink): Promise<void> {
  const { options, origins, running, memory } = entrance
  const sink = origins.length > 0 ? readableBy(origins, incoming, plain) : plain
  const arrival = createIntake(incoming, sink, memory.lease())
  running.add(arrival)
  let failure: HeadgateError | undefined
  try {
    await authenticateAndServe(entrance, arrival)
  } catch (error) {
    failure = asError(error)
    // A body that was sent together with its head has arrived by then.
    await immediate()
    const isOurs = failure.kind === 'internal' || (failure.kind === 'unavailable' && failure.cause !== undefined)
    if (isOurs) options.onWarning?.(`Request ${arrival.id} failed in the gateway: ${traceOf(failure)}`)
    if (arrival.context?.status !== undefined) arrival.context.sink.destroy()
    else if (!arrival.context?.gone)
      sendError(
        arrival.context?.sink ?? sink,
        errorsOf(entrance, arrival.path, incoming),
        failure,
        arrival.id,
        arrival.context && failureHeaders(arrival.context),
      )
  } finally {
    const stored = arrival.context?.once?.end()
    running.remove(arrival)
    returnMemory(arrival)
    if (arrival.context?.slot) freeSlot(arrival.context)
    arrival.context?.leaveCapacity?.()
    arrival.context?.holding?.end()
    if (running.entries.length === 0) entrance.idle?.()
    options.onAccess?.(accessOf(arrival, failure))
    if (options.refusals) storeEnd(options, options.refusals, arrival, failure)
    if (arrival.context?.trace) storeTrace(options, arrival.context.trace)
    if (stored) await stored
  }
}

/** Handles a request. An unexpected failure ends this response, never the process. */
function serveRequest(entrance: GatewayState, incoming: Incoming, sink: Sink): Promise<void> {
  return handle(entrance, incoming, sink).catch((error: unknown) => {
    entrance.options.onWarning?.(`A request could not be handled: ${traceOf(error)}`)
    sink.destroy()
  })
}

/** Closes a gateway after all requests have ended. */
async function closeAll(entrance: GatewayState, open: readonly OpenedFamily[]): Promise<void> {
  const { core, running, overload } = entrance
  core.lists.close()
  if (running.entries.length > 0)
    await new Promise<void>((resolve) => {
      entrance.idle = resolve
    })
  await core.idempotency?.settled()
  await Promise.all(open.map(({ close }) => close?.()))
  overload?.close()
  await core.upstreams.close()
  const providers = core.instances.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider))
  await Promise.all(providers.map((provider) => provider.close?.()))
}

/** Responds on a socket whose request could not be parsed. */
function sendClientError(entrance: GatewayState, error: Error, socket: Duplex): void {
  // The rest of a malformed request is malformed as well.
  if (socket.writableEnded) return
  const { method, path, refusal } = readClientError(error)
  if (!refusal || !canRespond(socket)) return void socket.destroy()
  const id = requestId(Date.now())
  sendSocketError(socket, errorsOf(entrance, path, { method, headers: {} }), refusal, id)
  const { status } = refusal
  entrance.options.onAccess?.({ requestId: id, method, path, status, durationMs: 0, error: failureOf(refusal) })
}

/** Creates a gateway with other families than the default ones. */
export function createGatewayOf(families: readonly Family[], options: GatewayOptions): Gateway {
  checkOptions(options)
  const opened = new Set<string>()
  const core = createCore(
    options,
    servedBy(families, (id) => opened.has(id)),
    options.after && cores.get(options.after),
  )
  const { basePath = '', origins = [], trustedProxies } = options
  const open = openFamilies(families, core, options, opened)
  const { routes, document } = allRoutes(families, open, options)
  const { eventLoopDelay } = core.limits
  const memory = createMemoryQuota({ total: core.limits.memory, perKey: core.limits.keyMemory })
  const entrance: GatewayState = {
    options,
    core,
    families,
    router: createRouter(routes),
    basePath,
    origins,
    memory,
    overload:
      eventLoopDelay === undefined
        ? undefined
        : createOverload(eventLoopDelay, () => ({ held: memory.held, total: core.limits.memory })),
    running: createInFlight<RequestIntake>(),
    idle: undefined,
  }
  const { running } = entrance
  let ending: Promise<void> | undefined

  const gateway: Gateway = {
    node(request, response, awaitsContinue = false) {
      if (isTooLate(request)) return
      const incoming = nodeIncoming(request, response, { times: core.times, basePath, awaitsContinue, trustedProxies })
      serveRequest(entrance, incoming, nodeSink(request, response, core.times))
    },
    clientError: (error, socket) => sendClientError(entrance, error, socket),
    async fetch(request, context) {
      const { sink, response } = fetchSink(request, core.times)
      const served = serveRequest(entrance, fetchIncoming(request, core.times), sink)
      context?.waitUntil?.(served)
      return response
    },
    ready: () => core.lists.load(MAX_LIST_WAIT_MS).then(() => preconnect(core)),
    openapi: document,
    describe: () =>
      core.instances.map((instance) => ({
        name: instance.name,
        models:
          instance.closed || instance.live || instance.known.size > 0
            ? listedModels(instance).length
            : ('unknown' as const),
      })),
    health: () => healthReport(core),
    promptCaches: core.choice.affinity,
    cooldowns: {
      drain: () => core.health.drain(now()),
      merge: (records) => core.health.merge(records, now()),
    },
    inFlight: () => running.entries.length,
    waiting: (serviceClass) => core.load.queue.waiting(serviceClass) + (core.capacity?.waiting(serviceClass) ?? 0),
    close: () => (ending ??= closeAll(entrance, open)),
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
