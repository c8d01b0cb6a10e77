import {
  createChain,
  endOfBlock,
  extendChain,
  type Prefix,
  type PrefixChain,
  tenantKeyOf,
} from '../../../src/routing/affinity/prefix.ts'
import { between, seeded, spread } from './random.ts'

/** Number of organizations, and of agents in each. Sessions of one agent share its tools and system instructions. */
const TENANTS = 6
const AGENTS = 2
/** Time between the starts of sessions, in milliseconds: 1,000 sessions start within an hour. */
const BETWEEN_STARTS_MS = 3_600
/** Part of the sessions whose first line differs in each request; vendors ignore the line. */
const VOLATILE = 0.1
/** Part of the turns after which sub-agents start, and of the turns after which the user pauses. */
const SUB_AGENTS = 0.025
const PAUSES = 0.05
/** Mark at the end of the last message, for caches that need one. The next request has it at its own last message. */
const MARK = Buffer.from('","cache_control":{"type":"ephemeral"}')

/** Part of a conversation: the tools and system instructions, or a turn. */
export interface Segment {
  /** Identifies the conversation up to the end of the segment. */
  readonly id: number
  /** Tokens from the beginning of the conversation to the end of the segment. */
  readonly tokens: number
  /** Content blocks from the beginning of the conversation to the end of the segment. */
  readonly blocks: number
}

/** Request of a session. Its timing does not depend on the endpoint that serves it. */
export interface TraceRequest {
  readonly session: number
  readonly startsAt: number
  readonly endsAt: number
  readonly segments: readonly Segment[]
  readonly input: number
  readonly output: number
  readonly prefix: Prefix
}

/** Agent of an organization. */
interface Agent {
  readonly head: Uint8Array
  readonly segment: Segment
  readonly chain: PrefixChain
}

/** State of a session while its requests are written. */
interface Conversation {
  readonly session: number
  readonly isVolatile: boolean
  readonly segments: Segment[]
  chain: PrefixChain
  bytes: number
}

const NOISE = noise(8_000_000)

function noise(bytes: number): Uint8Array {
  const random = seeded(7)
  const words = new Uint32Array(bytes / 4)
  for (let i = 0; i < words.length; i++) words[i] = random() * 4_294_967_296
  return new Uint8Array(words.buffer)
}

/** Requests of coding agents, by start: sessions with growing conversations, sub-agents, and pauses. */
export function createTrace(sessions: number, seed = 1): readonly TraceRequest[] {
  const random = seeded(seed)
  const writer = createWriter(random)
  const agents = Array.from({ length: TENANTS * AGENTS }, (_, i) => writer.agent(Math.floor(i / AGENTS)))
  const requests: TraceRequest[] = []
  for (let i = 0; i < sessions; i++) {
    // A few agents have most of the sessions.
    const agent = agents[Math.floor(agents.length * random() ** 1.5)]
    const turns = Math.round(spread(random, 8, 50))
    if (agent) writer.session(requests, agent, (i + random()) * BETWEEN_STARTS_MS, turns, true)
  }
  return requests.sort((one, other) => one.startsAt - other.startsAt)
}

function createWriter(random: () => number) {
  let ids = 0
  let sessions = 0
  const bytesOf = (length: number): Uint8Array => {
    const from = Math.floor(random() * (NOISE.length - length))
    return NOISE.subarray(from, from + length)
  }
  const after = (before: Segment | undefined, bytes: number, blocks: number): Segment => ({
    id: ids++,
    // Bytes per token differ between code, prose and JSON.
    tokens: (before?.tokens ?? 0) + Math.round(bytes / between(random, 3.2, 4.3)),
    blocks: (before?.blocks ?? 0) + blocks,
  })
  const agent = (tenant: number): Agent => {
    const key = tenantKeyOf('secret', `tenant-${tenant}`)
    const head = bytesOf(Math.round(spread(random, 24_000, 90_000)))
    const chain = createChain(key)
    extendChain(chain, head)
    return { head, segment: after(undefined, head.length, 1), chain }
  }
  const session = (requests: TraceRequest[], agent: Agent, startsAt: number, turns: number, isMain: boolean): void => {
    const conversation: Conversation = {
      session: sessions++,
      isVolatile: random() < VOLATILE,
      segments: [agent.segment],
      chain: copyOf(agent.chain),
      bytes: agent.head.length,
    }
    let now = startsAt
    for (let turn = 0; turn < turns; turn++) {
      const { message, blocks } = nextMessage(turn)
      conversation.segments.push(after(conversation.segments.at(-1), message.length, blocks))
      const request = requestOf(conversation, message, now, Math.round(spread(random, 60, 1_200)), random)
      requests.push(request)
      now = request.endsAt + pauseOf(random)
      if (!isMain || random() >= SUB_AGENTS) continue
      const count = Math.ceil(random() * 3)
      for (let i = 0; i < count; i++) session(requests, agent, now + i * 200, Math.round(spread(random, 4, 15)), false)
      // The main session waits for its sub-agents.
      now += between(random, 60_000, 200_000)
    }
  }
  const nextMessage = (turn: number) => ({
    message: bytesOf(Math.round(turn === 0 ? spread(random, 1_000, 12_000) : spread(random, 800, 24_000))),
    // Many tools are called in parallel in a few turns.
    blocks: turn === 0 ? 2 : random() < 0.05 ? Math.round(between(random, 10, 30)) : Math.round(between(random, 2, 5)),
  })
  return { agent, session }
}

/** Time until the next turn: tools run, or the user reads and pauses, also for longer than caches live. */
function pauseOf(random: () => number): number {
  return random() < PAUSES ? spread(random, 60_000, 1_800_000) : spread(random, 1_000, 25_000)
}

function requestOf(
  conversation: Conversation,
  message: Uint8Array,
  startsAt: number,
  output: number,
  random: () => number,
): TraceRequest {
  const { segments, session } = conversation
  const last = segments.at(-1)
  if (!last) throw new Error('A conversation has no segments.')
  return {
    session,
    startsAt,
    endsAt: startsAt + 1_500 + output * between(random, 12, 25),
    segments: [...segments],
    input: last.tokens,
    output,
    prefix: prefixWith(conversation, message),
  }
}

/** Prefix of the request with the next message, which has the mark. Adds the message without it to the conversation. */
function prefixWith(conversation: Conversation, message: Uint8Array): Prefix {
  const { session, isVolatile } = conversation
  const turn = conversation.segments.length
  const hint = `session-${session}`
  conversation.bytes += message.length
  const bytes = conversation.bytes + MARK.length
  if (isVolatile) {
    // All blocks differ from the blocks of all other requests.
    const hashes = Array.from({ length: Math.floor(bytes / endOfBlock(0)) }, (_, i) => `${hint} ${turn} ${i}`)
    return { hashes, bytes, hint }
  }
  const marked = copyOf(conversation.chain)
  extendChain(conversation.chain, message)
  extendChain(marked, message)
  extendChain(marked, MARK)
  return { hashes: marked.hashes, bytes, hint }
}

function copyOf(chain: PrefixChain): PrefixChain {
  return { ...chain, hashes: [...chain.hashes], parts: [...chain.parts] }
}
