import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What nobody may take for more than text. */
export const HOSTILE = '<img src=x onerror=alert(1)>'

/** Models of the upstream that are named in tests. */
export const MODELS = { busy: 'busy', large: 'large', refusing: 'refusing', hostile: HOSTILE } as const

const ODD = { name: `${HOSTILE} `, answer: ['Hello ', 'from ', HOSTILE] }
const PLAIN = {
  name: 'llama.eu is ',
  answer: ['Four planets ', 'of the solar system ', 'have rings: ', 'Jupiter, Saturn, ', 'Uranus and Neptune.'],
}

/** As lists of all formats have them. */
const LISTED = [{ id: 'llama-4', name: 'models/llama-4', object: 'model' }]

const JSON_TYPE = { 'content-type': 'application/json' }

export interface Upstream {
  readonly baseUrl: string
  stop(): void
}

/**
 * A provider that speaks chat completions: `busy` is always too busy, `refusing` takes no request, and both say so in
 * words that are markup.
 * @param isPlain whether it keeps to words that everybody may read.
 */
export async function startUpstream({ isPlain = false } = {}): Promise<Upstream> {
  const said = isPlain ? PLAIN : ODD
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (isPlain && request.url?.includes('/models'))
      return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ object: 'list', data: LISTED, models: LISTED }))
    if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end()
    const { model, stream } = JSON.parse(body)
    if (model === MODELS.busy) {
      const error = { message: `${said.name}too busy`, type: 'server_error' }
      return response.writeHead(503, JSON_TYPE).end(JSON.stringify({ error }))
    }
    if (model === MODELS.refusing) {
      const error = { message: `${said.name}is no parameter`, type: 'invalid_request_error' }
      return response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error }))
    }
    return stream
      ? answerInPieces(response, model, said.answer)
      : response.writeHead(200, JSON_TYPE).end(JSON.stringify(completion(model, said.answer)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const USAGE = { prompt_tokens: 1_234, completion_tokens: 345, total_tokens: 1_579 }

function completion(model: string, answer: readonly string[]): object {
  const message = { role: 'assistant', content: answer.join('') }
  return { ...named(model, 'chat.completion'), choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }
}

function answerInPieces(response: ServerResponse, model: string, answer: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (part: object): boolean =>
    response.write(`data: ${JSON.stringify({ ...named(model, 'chat.completion.chunk'), ...part })}\n\n`)
  for (const content of answer)
    say({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
  say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  say({ choices: [], usage: USAGE })
  response.end('data: [DONE]\n\n')
}

function named(model: string, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model }
}
