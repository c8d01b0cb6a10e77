import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server that speaks chat completions, for the length of one test. */
export interface Upstream {
  readonly baseUrl: string
  /** Streams that are open, each after its first chunk. */
  readonly streams: readonly ServerResponse[]
}

/** Unary requests are answered at once; streams stay open after their first chunk until the test ends them. */
export async function startUpstream(): Promise<Upstream> {
  const streams: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/v1/models') return response.writeHead(404).end()
    const { stream } = JSON.parse(Buffer.concat(chunks).toString())
    if (!stream) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }))
    return streams.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, streams }
}

/** The rest of a stream. */
export const END = `${chunk({ delta: { content: 'lo' }, finish_reason: 'stop' })}data: [DONE]\n\n`

export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'model-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
}

export function chunk(choice: object): string {
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'model-1',
    choices: [{ index: 0, ...choice }],
  }
  return `data: ${JSON.stringify(body)}\n\n`
}
