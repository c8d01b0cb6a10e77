import { Agent, request as httpRequest } from 'node:http'
import type { CallerAnswer } from './checker.ts'
import type { UpstreamOrder } from './upstream.ts'

/** Callers of one key, who send one request after the other to all nodes in turn. */
export interface Callers extends Omit<UpstreamOrder, 'number' | 'key'> {
  /** Name of the key, for the log. */
  readonly name: string
  readonly secret: string
  readonly count: number
  /** Pause after a refusal, in milliseconds. */
  readonly pause: number
}

export interface FleetTraffic {
  readonly answers: readonly CallerAnswer[]
  /** Resolves when the last answer has arrived. */
  stop(): Promise<void>
}

/** Maximum time that a caller waits for a response, in milliseconds: a suspended node answers nothing. */
const PATIENCE = 15_000

let lastNumber = 0

/**
 * Starts the callers.
 *
 * @param urls of the nodes, in their order; read for each request
 */
export function startFleetTraffic(urls: () => readonly string[], groups: readonly Callers[]): FleetTraffic {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 1_024 })
  const answers: CallerAnswer[] = []
  let isOn = true
  const call = async (callers: Callers, nth: number): Promise<void> => {
    for (let turn = nth; isOn; turn += 1) {
      const all = urls()
      const node = turn % all.length
      const number = ++lastNumber
      const at = performance.now()
      const { status, message } = await send(agent, all[node] ?? '', callers, number)
      answers.push({ number, key: callers.name, node, at, ms: performance.now() - at, status, message })
      if (status !== 200 && isOn) await new Promise((resolve) => setTimeout(resolve, callers.pause))
    }
  }
  const calling = groups.flatMap((callers) => Array.from({ length: callers.count }, (_, nth) => call(callers, nth)))
  return {
    answers,
    async stop() {
      isOn = false
      await Promise.all(calling)
      agent.destroy()
    },
  }
}

type Reply = Pick<CallerAnswer, 'status' | 'message'>

/** Maximum length of a message. */
const LONGEST = 300

/** Resolves with a whole response; its status is 0 if it broke off, or did not arrive in time. */
function send(
  agent: Agent,
  url: string,
  { name, secret, input, output, hold }: Callers,
  number: number,
): Promise<Reply> {
  const order: UpstreamOrder = { number, key: name, input, output, hold }
  const messages = [{ role: 'user', content: JSON.stringify(order) }]
  const body = JSON.stringify({ model: 'fleet', messages, max_tokens: output, stream: number % 2 === 0 })
  return new Promise((resolve) => {
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'headgate-tags': `call=${number}`,
      },
    })
    const timer = setTimeout(() => request.destroy(), PATIENCE)
    const done = (status: number, message?: string): void => {
      clearTimeout(timer)
      resolve({ status, message })
    }
    request.on('error', () => done(0))
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        if (response.statusCode !== 200 && text.length < LONGEST) text += piece
      })
      response.on('error', () => {})
      response.on('close', () => {
        if (response.complete) done(response.statusCode ?? 0, /"message":\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1])
        else done(0)
      })
    })
    request.end(body)
  })
}
