import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { UpstreamCall } from './checker.ts'

/** Instruction to the upstream, the last message of a request. */
export interface UpstreamOrder {
  readonly number: number
  /** Name of the key. */
  readonly key: string
  /** Tokens to report. The request's limit cuts the output off. */
  readonly input: number
  readonly output: number
  /** Milliseconds until the response ends. */
  readonly hold: number
}

/** Upstream that charges for all calls, and keeps a log of them. */
export interface LoggingUpstream {
  readonly origin: string
  /** Calls in the order in which they began. */
  readonly calls: readonly UpstreamCall[]
  close(): Promise<void>
}

/** Price of an output token in nano-dollars; input is free, so that the worst-case cost of a request is exact. */
export const OUTPUT_PRICE = 10_000

interface LoggedCall extends UpstreamCall {
  endAt: number | undefined
}

export async function startLoggingUpstream(): Promise<LoggingUpstream> {
  const calls: LoggedCall[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now()
    const body = Object(await json(request))
    const order: UpstreamOrder = JSON.parse(body.messages.at(-1).content)
    const output = Math.min(order.output, body.max_completion_tokens ?? body.max_tokens ?? order.output)
    const call: LoggedCall = {
      number: order.number,
      key: order.key,
      at,
      endAt: undefined,
      tokens: order.input + output,
      charged: output * OUTPUT_PRICE,
    }
    calls.push(call)
    response.on('close', () => {
      call.endAt ??= performance.now()
    })
    await new Promise((resolve) => setTimeout(resolve, order.hold))
    if (response.destroyed) return
    call.endAt = performance.now()
    answer(response, order, output, body.stream === true)
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    // A killed gateway leaves a request without its end.
    serve(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1', 1_024)
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(response: ServerResponse, { number, input }: UpstreamOrder, output: number, isStream: boolean): void {
  const common = { id: `call-${number}`, created: 1, model: 'fleet' }
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  if (!isStream) {
    const choices = [{ index: 0, message: { role: 'assistant', content: String(number) }, finish_reason: 'stop' }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const frame = (value: object): void => {
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...value })}\n\n`)
  }
  frame({ choices: [{ index: 0, delta: { role: 'assistant', content: String(number) }, finish_reason: null }] })
  frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  frame({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}
