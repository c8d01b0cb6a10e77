import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Reaction of the vendor to a request, named in the request's last message. */
export interface Order {
  /** Whose money it is: the vendor sums up by it. */
  readonly run: string
  /**
   * `whole`: a response with usage. `silent`: never answers. `reset`: breaks the connection before the response. `cut`:
   * breaks it within a stream. `large`: a response of 300 KB. `error`: a complete error response, which the vendor does
   * not charge for. `beyond`: twice the output that the request allows.
   */
  readonly how: 'whole' | 'silent' | 'reset' | 'cut' | 'large' | 'error' | 'beyond'
  /** Tokens that it would write without a limit. */
  readonly output: number
}

/** Output tokens that a vendor charged for: within the limits that it was given, and beyond them. */
export interface Charged {
  within: number
  beyond: number
  calls: number
}

/**
 * A vendor on loopback that charges for all work that it did, whatever became of the response, and reads limits as
 * `limitOf` does.
 */
export interface ChargingVendor {
  readonly origin: string
  charged(run: string): Charged
  close(): Promise<void>
}

type Body = Readonly<Record<string, unknown>>

/** The largest limit under any spelling, as a server reads it that ignores case, `_` and `-`. */
function limitOf(body: Body): number {
  const names = new Set(['maxtokens', 'maxcompletiontokens', 'maxoutputtokens'])
  const limits = Object.entries(body).flatMap(([name, value]) =>
    names.has(name.toLowerCase().replace(/[-_]/g, '')) ? [Number(value)] : [],
  )
  return limits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...limits)
}

function orderOf({ messages, input }: Body): Order {
  const last: unknown = Array.isArray(messages)
    ? Object(messages.at(-1)).content
    : Array.isArray(input)
      ? Object(input.at(-1)).content
      : input
  const text: unknown = Array.isArray(last) ? Object(last[0]).text : last
  return JSON.parse(String(text))
}

export async function startChargingVendor(): Promise<ChargingVendor> {
  const sums = new Map<string, Charged>()
  const sumOf = (run: string): Charged => {
    const known = sums.get(run) ?? { within: 0, beyond: 0, calls: 0 }
    sums.set(run, known)
    return known
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const serve = async (): Promise<void> => {
      const body: Body = Object(await json(request))
      const order = orderOf(body)
      const limit = limitOf(body)
      const output = order.how === 'beyond' ? 2 * Math.min(order.output, limit) : Math.min(order.output, limit)
      const sum = sumOf(order.run)
      sum.calls += 1
      if (order.how !== 'error') {
        sum.within += Math.min(output, limit)
        sum.beyond += Math.max(0, output - limit)
      }
      answer(response, order, output)
    }
    serve().catch(() => response.destroy())
  }).listen(0, '127.0.0.1', 1_024)
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charged: sumOf,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(response: ServerResponse, { how }: Order, output: number): void {
  if (how === 'silent') return
  if (how === 'reset') return void response.destroy()
  const send = (status: number, value: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (how === 'error')
    return void send(500, { error: { message: 'The server had an error.', type: 'server_error', code: null } })
  const common = { id: 'a', created: 1, model: 'm' }
  if (how === 'cut') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }]
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices })}\n\n`, () =>
      response.destroy(),
    )
    return
  }
  const message = { role: 'assistant', content: how === 'large' ? 'x'.repeat(300_000) : 'Hi' }
  const usage = { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output }
  send(200, { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
}
