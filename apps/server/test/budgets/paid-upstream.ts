import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Of a request to an upstream: what it is to answer with, as its last message says. */
export interface Wish {
  /** Which of the requests it is. */
  readonly number: number
  readonly input: number
  /** Of the whole answer; a limit of the request cuts it off. */
  readonly output: number
}

/** A call that an upstream was paid for. */
export interface Paid extends Wish {
  readonly isStream: boolean
}

/**
 * A provider in the format of chat completions that charges for all that it is asked, and outlives the gateways that
 * ask it.
 */
export interface PaidUpstream {
  readonly origin: string
  /** What it charges for, in the order in which it came. */
  readonly paid: readonly Paid[]
  /** Answers wait until it is released, which is asked after each call. Default: none waits. */
  holdUntil(isReleased: () => boolean): void
  /** Looks again whether answers still have to wait. */
  look(): void
  close(): Promise<void>
}

export interface PaidOptions {
  /** How long it takes to answer, in milliseconds. */
  delay?(): number
}

export async function startPaidUpstream({ delay = () => 0 }: PaidOptions = {}): Promise<PaidUpstream> {
  const paid: Paid[] = []
  let held: (() => void)[] = []
  let isReleased = (): boolean => true
  const look = (): void => {
    if (!isReleased()) return
    const free = held
    held = []
    for (const one of free) one()
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { messages, stream: isStream = false, ...body } = Object(await json(request))
    const wish: Wish = JSON.parse(messages.at(-1).content)
    const limit = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY
    const own: Paid = { ...wish, output: Math.min(wish.output, limit), isStream }
    paid.push(own)
    await new Promise<void>((resolve) => {
      held.push(resolve)
      look()
    })
    await new Promise((resolve) => setTimeout(resolve, delay()))
    if (isStream) answerStream(response, own)
    else answerWhole(response, own)
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    // Whoever asked has died.
    answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1', 1_024)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    paid,
    holdUntil(condition) {
      isReleased = condition
      look()
    },
    look,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function usageOf({ input, output }: Wish): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

function answerWhole(response: ServerResponse, paid: Paid): void {
  const message = { role: 'assistant', content: String(paid.number) }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'm', choices, usage: usageOf(paid) }),
  )
}

/** Frames that are written one by one, so that callers can leave between them. */
function answerStream(response: ServerResponse, paid: Paid): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const frame = (value: object): void => {
    response.write(
      `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', ...value })}\n\n`,
    )
  }
  for (const piece of [String(paid.number), ' and', ' more'])
    frame({ choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })
  frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  frame({ choices: [], usage: usageOf(paid) })
  response.end('data: [DONE]\n\n')
}
