import { Agent, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chatCompletionsLimits } from '../../../core/src/contract/upstream-limits.ts'
import {
  type AccessRecord,
  createGateway,
  type EndpointEntry,
  type Gateway,
  type GatewayOptions,
  type MemoryBudgets,
  memoryBudgets,
  type ProviderInstance,
  type UsageRow,
} from '../../src/index.ts'
import type { ProviderEntry } from '../../src/ports/gateway-options.ts'
import type { Played } from './checks/account.ts'
import type { Fault } from './fault.ts'
import { GOOD } from './kinds/good.ts'
import { createRandom, type Random } from './random.ts'
import { ALIAS, FALLBACK_MODEL, KEY, MODEL, SPARE_KEY, SPARE_MODEL } from './request.ts'
import {
  type EndpointScene,
  FALLBACK_KINDS,
  limitHeaders,
  type RoutingScene,
  usesAlias,
  withHeaders,
} from './routing.ts'
import type { FormatId, Scene } from './scene.ts'
import { isTimed, type Sequence } from './sequence.ts'
import type { Step } from './step.ts'
import type { Arrival, Upstream } from './upstream.ts'

const SHORT = { connect: 300, firstByte: 300, silence: 300, whole: 3_000, ping: 40, backoff: 1 }
const LONG = { ...SHORT, connect: 5_000, firstByte: 5_000, silence: 5_000, whole: 10_000 }
const LIMITS = { body: 256 * 1024, answer: 8 * 1024 * 1024 }
/** Milliseconds until a late response of a hedged sequence begins. */
const DELAYS = [40, 120, 250]
/** A port without a listener. */
const NOBODY = 'http://127.0.0.1:1'
const PRICE = { id: 'list', input: 3_000_000_000, output: 15_000_000_000 }
/** More than all requests of a sequence cost. */
const BUDGET = 1_000_000_000_000_000n
const PATHS: Readonly<Record<FormatId, (stream: boolean, model: string) => string>> = {
  'chat-completions': () => '/chat/completions',
  messages: () => '/messages',
  'generate-content': (stream, model) =>
    `/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
}
/** Words by which upstreams recognize a request; see `CallerRequest`. */
const MARKER = /crowd-\d+|earlier/

/** Marker of requests before the others, which show the usual times. */
export const EARLIER = 'earlier'
/** Name of the request that the sequence is about. */
export const MAIN = 'main'

/** The gateway of a sequence, its upstreams, and records of what they saw. */
export interface Stage {
  readonly gateway: Gateway
  readonly server: Server
  readonly agent: Agent
  readonly port: number
  readonly rows: UsageRow[]
  readonly access: AccessRecord[]
  readonly warnings: string[]
  readonly played: Played[]
  /** Endpoints without a listener, as in {@link Played}. */
  readonly refused: ReadonlySet<string>
  readonly secrets: readonly string[]
  /** Calls that should not have come. */
  readonly wrong: readonly string[]
  /** Resolves once a provider is asked by the request that the sequence is about. */
  readonly asked: Promise<void>
  /** First segments of the upstreams' paths. */
  readonly names: readonly string[]
  readonly budgets: MemoryBudgets | undefined
}

/** An upstream to register. */
interface Enlisted {
  /** Provider, and endpoint if it has a name: `<provider>/<endpoint>`. */
  readonly place: string
  readonly format: FormatId
  readonly faults: readonly Fault[]
  readonly model: string
  /** False if no call may come. */
  readonly isOpen?: boolean
}

/** Records while the upstreams of a sequence are registered. */
interface Cast {
  readonly sequence: Sequence
  readonly upstream: Upstream
  readonly played: Played[]
  readonly refused: Set<string>
  readonly secrets: string[]
  readonly wrong: string[]
  readonly names: string[]
  readonly asked: PromiseWithResolvers<void>
}

function providerOf(
  name: string,
  { format, model }: Enlisted,
  baseUrl: string,
  secret: string,
  hasLimits: boolean,
): ProviderInstance {
  return {
    name,
    claims: [],
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Bearer ${secret}` },
    chat: [{ format, path: (call) => PATHS[format](call.stream, call.model) }],
    known: [{ id: model, price: PRICE }],
    closed: true,
    ...(hasLimits && { limitHeaders: chatCompletionsLimits('seconds') }),
  }
}

/** Steps for a call, with the limit headers of the sequence. Many calls of a hedged sequence begin late. */
function stepsOf(routing: RoutingScene | undefined, fault: Fault, scene: Scene): readonly Step[] {
  const { random } = scene
  const steps = fault.steps(scene)
  const given = routing?.hasLimitHeaders ? withHeaders(steps, limitHeaders(random)) : steps
  return routing?.isHedged && random.chance(70) ? [{ pause: random.pick(DELAYS) }, ...given] : given
}

function markerOf({ body }: Arrival): string {
  return MARKER.exec(body.toString('latin1'))?.[0] ?? MAIN
}

/** Registers an upstream. Returns the provider that calls it. */
function enlist(cast: Cast, enlisted: Enlisted): ProviderInstance {
  const { sequence, upstream, played, refused, secrets, wrong, names, asked } = cast
  const { seed, delivery, flavour, routing } = sequence
  const { place, format, faults, model, isOpen = true } = enlisted
  const path = `${seed}-${place.replace('/', '-')}`
  const secret = `up-secret-${seed}-${place.replace('/', '-')}-0123456789`
  const random: Random = createRandom(seed * 7 + names.length)
  const stream = delivery !== 'whole'
  let calls = 0
  names.push(path)
  secrets.push(secret)
  upstream.play(path, (arrival) => {
    const marker = markerOf(arrival)
    if (arrival.headers['authorization'] !== `Bearer ${secret}`) wrong.push(`${place} got another credential`)
    if (!isOpen) wrong.push(`${place} was called, which is excluded`)
    if (marker === EARLIER) return GOOD.steps({ format, stream, flavour: 'text', secret, random })
    const fault = faults[Math.min(calls++, faults.length - 1)] ?? GOOD
    const scene: Scene = { format, stream, flavour, secret, random }
    const fate = typeof fault.fate === 'function' ? fault.fate(scene) : fault.fate
    if (model !== SPARE_MODEL)
      played.push({
        request: marker,
        provider: place,
        fault: fault.name,
        fate,
        again: fault.mute === true && arrival.earlier > 0,
        alters: fault.alters === true,
        junk: fault.junk === true,
      })
    if (marker === MAIN) asked.resolve()
    return stepsOf(routing, fault, scene)
  })
  const isRefused = faults[0]?.refused === true
  if (isRefused) refused.add(place)
  const [name = ''] = place.split('/')
  const baseUrl = isRefused ? NOBODY : `http://127.0.0.1:${upstream.port}/${path}`
  return providerOf(name, enlisted, baseUrl, secret, routing?.hasLimitHeaders === true)
}

function endpointEntry(cast: Cast, name: string, format: FormatId, scene: EndpointScene): EndpointEntry {
  const { faults, servesModel, region, weight, priority, group, limits } = scene
  const isOpen = servesModel && !(cast.sequence.routing?.boundBy && region !== 'eu')
  return {
    name: scene.name,
    provider: enlist(cast, { place: `${name}/${scene.name}`, format, faults, model: MODEL, isOpen }),
    weight,
    priority,
    labels: { region },
    group,
    models: servesModel ? undefined : ['other-*'],
    limits,
  }
}

/** Providers of a sequence: its candidates, one for fallbacks, and one for a good request afterwards. */
function providersOf(cast: Cast): ProviderEntry[] {
  const { candidates, routing, format: called } = cast.sequence
  const first = candidates[0]?.format ?? called
  const entries = candidates.map(({ format, faults }, index): ProviderEntry => {
    const name = `candidate-${index}`
    const scenes = routing?.endpoints[index] ?? []
    const endpoints = scenes.map((scene) => endpointEntry(cast, name, format, scene))
    const [one] = endpoints
    return one?.provider
      ? { provider: one.provider, endpoints }
      : { provider: enlist(cast, { place: name, format, faults, model: MODEL }) }
  })
  const spare = enlist(cast, { place: 'spare', format: first, faults: [GOOD], model: SPARE_MODEL })
  if (!routing?.fallback) return [...entries, { provider: spare }]
  // It has no labels, which a required label excludes.
  const isOpen = routing.boundBy === undefined
  const fallback = enlist(cast, { place: 'fallback', format: first, faults: [GOOD], model: FALLBACK_MODEL, isOpen })
  return [...entries, { provider: fallback }, { provider: spare }]
}

/** Options of the gateway for the routing of a sequence. */
function optionsOf(routing: RoutingScene, budgets: MemoryBudgets | undefined): Partial<GatewayOptions> {
  const { policy, selectedBy, boundBy, isHedged, fallback } = routing
  const rights = {
    ...(selectedBy === 'key' && { policies: [policy] }),
    ...(boundBy === 'key' && { labels: ['region=eu'] }),
  }
  const targets = [MODEL, ...(fallback === 'alias' ? [{ model: FALLBACK_MODEL, on: FALLBACK_KINDS }] : [])]
  const alias = { targets, ...(selectedBy === 'alias' && { policy }) }
  return {
    authenticate: (credential) => {
      if (credential === SPARE_KEY) return { id: 'key-2' }
      return credential === KEY ? { id: 'key-1', ...rights } : undefined
    },
    routing: { hedge: isHedged, ...(selectedBy === 'gateway' && { policy }) },
    ...(usesAlias(routing) && { models: { [ALIAS]: alias } }),
    ...(budgets && { budgets }),
  }
}

/** Puts the candidates of a sequence on the upstream, and a gateway in front of them. */
export async function setUp(sequence: Sequence, upstream: Upstream): Promise<Stage> {
  const { routing } = sequence
  const [rows, access, warnings]: [UsageRow[], AccessRecord[], string[]] = [[], [], []]
  const cast: Cast = {
    sequence,
    upstream,
    played: [],
    refused: new Set(),
    secrets: [],
    wrong: [],
    names: [],
    asked: Promise.withResolvers<void>(),
  }
  const budgets = routing?.hasBudget
    ? memoryBudgets({
        budgets: [{ owner: 'key-1', name: 'team', limit: BUDGET, period: 'forever', counts: 'cost' }],
      })
    : undefined
  const gateway = createGateway({
    providers: providersOf(cast),
    authenticate: (credential) =>
      credential === KEY || credential === SPARE_KEY ? { id: credential === KEY ? 'key-1' : 'key-2' } : undefined,
    ledger: { settle: (row) => void rows.push(row) },
    onAccess: (record) => void access.push(record),
    onWarning: (message) => void warnings.push(message),
    times: isTimed(sequence) ? SHORT : LONG,
    limits: LIMITS,
    ...(routing && optionsOf(routing, budgets)),
  })
  const server = createServer((request, response) => gateway.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const { played, refused, secrets, wrong, names, asked } = cast
  return {
    gateway,
    server,
    agent,
    port,
    rows,
    access,
    warnings,
    played,
    refused,
    secrets,
    wrong,
    names,
    budgets,
    asked: asked.promise,
  }
}
