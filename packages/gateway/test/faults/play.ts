import { Agent, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AccessRecord,
  createGateway,
  type Gateway,
  type ProviderInstance,
  type UsageRow,
} from '../../src/index.ts'
import { callGateway, type Seen } from './caller.ts'
import { checkBooks, type Played } from './checks/account.ts'
import { checkAnswer, checkText } from './checks/answer.ts'
import type { Fault } from './fault.ts'
import { GOOD_CALLER } from './kinds/callers.ts'
import { GOOD } from './kinds/good.ts'
import { createRandom } from './random.ts'
import { goodRequest, KEY, MODEL, SPARE_MODEL } from './request.ts'
import type { FormatId, Scene } from './scene.ts'
import { describeSequence, isTimed, type Sequence } from './sequence.ts'
import type { Upstream } from './upstream.ts'

/** What came of a sequence. */
export interface Report {
  readonly seed: number
  /** The sequence in one line. */
  readonly what: string
  /** Names of the faults that were played. */
  readonly faults: readonly string[]
  /** Empty when all is as it should be. */
  readonly problems: readonly string[]
}

/** Milliseconds after which a call hangs: far beyond what the gateway gives a whole request. */
const BOUND = 12_000
const SHORT = { connect: 300, firstByte: 300, silence: 300, whole: 3_000, ping: 40, backoff: 1 }
const LONG = { ...SHORT, connect: 5_000, firstByte: 5_000, silence: 5_000, whole: 10_000 }
const LIMITS = { body: 256 * 1024, answer: 8 * 1024 * 1024 }
/** A port that nobody listens on. */
const NOBODY = 'http://127.0.0.1:1'
const PRICE = { id: 'list', input: 3_000_000_000, output: 15_000_000_000 }
const PATHS: Readonly<Record<FormatId, (stream: boolean, model: string) => string>> = {
  'chat-completions': () => '/chat/completions',
  messages: () => '/messages',
  'generate-content': (stream, model) =>
    `/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
}

function providerOf(name: string, format: FormatId, baseUrl: string, model: string, secret: string): ProviderInstance {
  return {
    name,
    claims: [],
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Bearer ${secret}` },
    chat: [{ format, path: (call) => PATHS[format](call.stream, call.model) }],
    known: [{ id: model, price: PRICE }],
    closed: true,
  }
}

interface Stage {
  readonly gateway: Gateway
  readonly server: Server
  readonly agent: Agent
  readonly port: number
  readonly rows: UsageRow[]
  readonly access: AccessRecord[]
  readonly warnings: string[]
  readonly played: Played[]
  readonly refused: ReadonlySet<string>
  readonly secrets: readonly string[]
  /** Resolves once a provider is asked. */
  readonly asked: Promise<void>
  readonly names: readonly string[]
}

/** Puts the candidates of a sequence on the upstream, and a gateway in front of them. */
async function setUp(sequence: Sequence, upstream: Upstream): Promise<Stage> {
  const { seed, candidates, delivery, flavour } = sequence
  const asked = Promise.withResolvers<void>()
  const played: Played[] = []
  const refused = new Set<string>()
  const secrets: string[] = []
  const names: string[] = []
  const stream = delivery !== 'whole'

  const enlist = (name: string, format: FormatId, faults: readonly Fault[], model: string): ProviderInstance => {
    const path = `${seed}-${name}`
    const secret = `up-secret-${seed}-${name}-0123456789`
    const random = createRandom(seed * 7 + names.length)
    let calls = 0
    names.push(path)
    secrets.push(secret)
    upstream.play(path, (arrival) => {
      const fault = faults[Math.min(calls++, faults.length - 1)] ?? GOOD
      const scene: Scene = { format, stream, flavour, secret, random }
      const fate = typeof fault.fate === 'function' ? fault.fate(scene) : fault.fate
      if (model === MODEL)
        played.push({
          provider: name,
          fault: fault.name,
          fate,
          again: fault.mute === true && arrival.earlier > 0,
        })
      asked.resolve()
      return fault.steps(scene)
    })
    const isRefused = faults[0]?.refused === true
    if (isRefused) refused.add(name)
    return providerOf(name, format, isRefused ? NOBODY : `http://127.0.0.1:${upstream.port}/${path}`, model, secret)
  }

  const providers = candidates.map(({ format, faults }, index) => enlist(`candidate-${index}`, format, faults, MODEL))
  const spare = enlist('spare', candidates[0]?.format ?? sequence.format, [GOOD], SPARE_MODEL)
  const rows: UsageRow[] = []
  const access: AccessRecord[] = []
  const warnings: string[] = []
  const gateway = createGateway({
    providers: [...providers, spare],
    authenticate: (credential) => (credential === KEY ? { id: 'key-1' } : undefined),
    ledger: { settle: (row) => void rows.push(row) },
    onAccess: (record) => void access.push(record),
    onWarning: (message) => void warnings.push(message),
    times: isTimed(sequence) ? SHORT : LONG,
    limits: LIMITS,
  })
  const server = createServer((request, response) => gateway.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  return { gateway, server, agent, port, rows, access, warnings, played, refused, secrets, asked: asked.promise, names }
}

/** Waits until something holds, a few seconds at most. */
async function until(holds: () => boolean, patience = 6_000): Promise<boolean> {
  const start = performance.now()
  while (!holds()) {
    if (performance.now() - start > patience) return false
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return true
}

function tellsSecret({ secrets, rows, access, warnings }: Stage, seen: Seen): string[] {
  const places = {
    'the answer': seen.body,
    'its headers': JSON.stringify(seen.headers),
    'the rows': JSON.stringify(rows),
    'the log': JSON.stringify([access, warnings]),
  }
  // A part of a key that was cut off is as bad as the whole.
  const parts = secrets.map((secret) => secret.slice(0, -3))
  return Object.entries(places).flatMap(([place, text]) =>
    parts.some((part) => text.includes(part)) ? [`a provider's key stands in ${place}`] : [],
  )
}

/** What the caller must be told, where the last call that was made had a certain fate. */
function checkOutcome(sequence: Sequence, stage: Stage, seen: Seen, ending: string): string[] {
  const last = stage.played.at(-1)
  const isPlain =
    sequence.caller.leave === undefined && !sequence.caller.hurries && sequence.caller.refused === undefined
  if (!isPlain || !last || stage.refused.size > 0) return []
  const wanted = { served: [200, 'whole'], cut: [200, 'error'], final: [400, 'error'], failed: [0, 'error'] } as const
  if (last.fate === undefined || isTimed(sequence)) return []
  const [status, end] = wanted[last.fate]
  if (ending !== end || (status !== 0 && status !== seen.status))
    return [
      `after "${last.fault}", which is ${last.fate}, the caller got ${seen.status} and ${ending}: ${seen.body.slice(0, 200)}`,
    ]
  return []
}

function checkSeen(sequence: Sequence, stage: Stage, seen: Seen): string[] {
  if (seen.end === 'left') return []
  const serving = sequence.candidates[stage.rows[0] ? Number(stage.rows[0].provider.slice('candidate-'.length)) : -1]
  const last = stage.played.at(-1)
  const fault = serving?.faults.find(({ name }) => name === last?.fault)
  const raw = serving?.format === sequence.format && sequence.delivery !== 'json-array'
  const { problems, ending } = checkAnswer(sequence, seen, { junk: raw && fault?.junk === true, raw })
  const isSaid = last?.fate === 'served' && !fault?.alters && seen.status === 200 && ending === 'whole'
  return [...problems, ...checkOutcome(sequence, stage, seen, ending), ...(isSaid ? checkText(sequence, seen) : [])]
}

/** A good request over what the sequence has left behind. */
async function checkSpare(sequence: Sequence, stage: Stage): Promise<string[]> {
  const { format, delivery, flavour } = sequence
  const request = goodRequest({ format, delivery, flavour, model: SPARE_MODEL })
  const call = (): Promise<Seen> =>
    callGateway(request, GOOD_CALLER, { port: stage.port, agent: stage.agent, asked: stage.asked, bound: BOUND })
  let seen = await call()
  for (let tries = 0; tries < 3 && seen.status !== 200 && isTimed(sequence); tries++) seen = await call()
  const problems =
    seen.status === 200
      ? checkAnswer(sequence, seen, { junk: false, raw: true }).problems
      : [`${seen.status}, ${seen.end}`]
  return [...problems, ...(seen.status === 200 ? checkText(sequence, seen) : [])].map(
    (problem) => `a good request afterwards: ${problem}`,
  )
}

/** Closes everything, and looks for what is left. */
async function tearDown({ gateway, server, agent, names }: Stage, upstream: Upstream): Promise<string[]> {
  agent.destroy()
  server.close()
  server.closeAllConnections()
  const closing = gateway.close().then(() => true)
  const patience = new Promise<boolean>((resolve) => setTimeout(resolve, 5_000, false).unref())
  const problems = (await Promise.race([closing, patience])) ? [] : ['the gateway does not close']
  const open = (): number => names.reduce((sum, name) => sum + upstream.open(name), 0)
  if (!(await until(() => open() === 0))) problems.push(`${open()} connections to upstreams stay open`)
  for (const name of names) upstream.forget(name)
  return problems
}

/** The request of a sequence, and everything that can be wrong with what came of it. */
async function check(sequence: Sequence, stage: Stage, upstream: Upstream): Promise<string[]> {
  const { caller, format } = sequence
  const good = goodRequest(sequence)
  const request = caller.change?.(good, format) ?? good
  const seen = await callGateway(request, caller, {
    port: stage.port,
    agent: stage.agent,
    asked: stage.asked,
    bound: BOUND,
  })
  const problems: string[] = []
  if (!(await until(() => stage.access.length > 0 && stage.gateway.inFlight() === 0)))
    problems.push('the request stays in flight')
  if (!(await until(() => stage.names.every((name) => upstream.playing(name) === 0))))
    problems.push('a call of an upstream goes on')
  problems.push(...checkSeen(sequence, stage, seen), ...checkBooks(sequence, seen, stage), ...tellsSecret(stage, seen))
  for (const warning of stage.warnings) problems.push(`a warning: ${warning.slice(0, 600)}`)
  return [...problems, ...(await checkSpare(sequence, stage))]
}

/** Plays a sequence, and says what is wrong with what came of it. */
export async function playSequence(sequence: Sequence, upstream: Upstream): Promise<Report> {
  const stage = await setUp(sequence, upstream)
  const problems: string[] = []
  try {
    problems.push(...(await check(sequence, stage, upstream)))
  } finally {
    problems.push(...(await tearDown(stage, upstream)))
  }
  return {
    seed: sequence.seed,
    what: describeSequence(sequence),
    faults: stage.played.map(({ fault }) => fault),
    problems,
  }
}
