import { Agent, request } from 'node:http'
import { callGateway } from '../packages/gateway/test/faults/caller.ts'
import { fits } from '../packages/gateway/test/faults/fault.ts'
import { CALLER_FAULTS, type CallerFault, GOOD_CALLER } from '../packages/gateway/test/faults/kinds/callers.ts'
import { GOOD } from '../packages/gateway/test/faults/kinds/good.ts'
import { FAULTS } from '../packages/gateway/test/faults/kinds/index.ts'
import type { Random } from '../packages/gateway/test/faults/random.ts'
import { goodRequest, KEY, WAYS } from '../packages/gateway/test/faults/request.ts'
import { FLAVOURS, type FormatId } from '../packages/gateway/test/faults/scene.ts'
import { answer, type Step } from '../packages/gateway/test/faults/step.ts'
import type { Arrival, Upstream } from '../packages/gateway/test/faults/upstream.ts'

/** Share of failing calls. The traffic uses all formats and all kinds of upstreams. */
const FAULTY_PERCENT = 10
const ODD_CALLER_PERCENT = 10
const SEARCH_PERCENT = 10
/** Milliseconds, above every time limit of the program. */
const BOUND = 30_000

const UPSTREAM_KEY = 'up-secret-0123456789'

/** Models by the format of their upstream. */
const MODELS: Readonly<Record<FormatId, string>> = {
  'chat-completions': 'soak-chat',
  messages: 'soak-messages',
  'generate-content': 'soak-generate',
}

/** Configuration of the program with upstreams at an origin. */
export function soakConfig(origin: string): object {
  const apiKey = UPSTREAM_KEY
  return {
    keys: [KEY],
    adapters: ['openai-compatible', 'anthropic', 'google', 'searxng'],
    providers: {
      chat: {
        adapter: 'openai-compatible',
        baseUrl: `${origin}/chat-completions/v1`,
        apiKey,
        models: [MODELS['chat-completions']],
      },
      messages: { adapter: 'anthropic', baseUrl: `${origin}/messages`, apiKey, models: [MODELS.messages] },
      generate: {
        adapter: 'google',
        baseUrl: `${origin}/generate-content`,
        apiKey,
        models: [MODELS['generate-content']],
      },
    },
    search: { backends: { searxng: { baseUrl: `${origin}/search` } } },
    times: { firstByte: 1_500, silence: 1_500, whole: 10_000, ping: 200, backoff: 5 },
  }
}

function isStreamed({ path, body }: Arrival): boolean {
  return path.includes('streamGenerateContent') || body.includes('"stream":true')
}

/** Serves the upstreams of the configuration. */
export function playSoak(upstream: Upstream, random: Random): void {
  for (const format of Object.keys(MODELS) as FormatId[]) {
    upstream.play(format, (arrival) => {
      const stream = isStreamed(arrival)
      const fault = random.chance(FAULTY_PERCENT)
        ? random.pick(FAULTS.filter((one) => fits(one, format, stream)))
        : GOOD
      return fault.steps({ format, stream, flavour: random.pick(FLAVOURS), secret: UPSTREAM_KEY, random })
    })
  }
  upstream.play('search', (): Step[] => {
    if (random.chance(FAULTY_PERCENT)) return random.chance(50) ? answer(500, 'It hurts') : ['close']
    const results = Array.from({ length: 10 }, (_, index) => ({
      url: `https://example.com/${index}`,
      title: `Page ${index}`,
      content: 'Summary of the document.',
    }))
    return answer(200, { results, corrections: [] })
  })
}

/** Number of calls by status, or without a status. */
export type Tally = Map<string, number>

export interface Traffic {
  /** Sends another call. */
  send(): void
  /** Resolves when all calls have ended. */
  quiet(): Promise<void>
  readonly tally: Tally
  close(): void
}

/** Callers of a gateway, chosen by random numbers. */
export function createTraffic(port: number, random: Random): Traffic {
  const agent = new Agent({ keepAlive: true })
  const tally: Tally = new Map()
  const running = new Set<Promise<void>>()
  const note = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)
  // The caller leaves after a random time, because it does not know which upstream is called.
  const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, random.below(20)))
  const fitting = CALLER_FAULTS.filter(({ name }) => name !== 'sends byte by byte')

  const chat = async (): Promise<string> => {
    const [format, delivery] = random.pick(WAYS)
    const fault: CallerFault = random.chance(ODD_CALLER_PERCENT) ? random.pick(fitting) : GOOD_CALLER
    const model = MODELS[random.pick(Object.keys(MODELS) as FormatId[])]
    const good = goodRequest({ format, delivery, flavour: random.pick(FLAVOURS), model, usage: random.chance(50) })
    const seen = await callGateway(fault.change?.(good, format) ?? good, fault, {
      port,
      agent,
      asked: soon(),
      bound: BOUND,
    })
    return seen.end === 'whole' ? String(seen.status) : seen.end
  }
  const search = (): Promise<string> =>
    new Promise((resolve) => {
      const path = `/customsearch/v1?q=${random.below(1_000)}`
      request({ host: '127.0.0.1', port, agent, path, headers: { authorization: `Bearer ${KEY}` } }, (response) => {
        response.resume()
        response.on('close', () => resolve(response.complete ? `search ${response.statusCode}` : 'search broken'))
      })
        .on('error', () => resolve('search broken'))
        .end()
    })

  return {
    tally,
    send() {
      const call = (random.chance(SEARCH_PERCENT) ? search() : chat()).then(note)
      running.add(call)
      void call.then(() => running.delete(call))
    },
    async quiet() {
      await Promise.all(running)
    },
    close: () => agent.destroy(),
  }
}
