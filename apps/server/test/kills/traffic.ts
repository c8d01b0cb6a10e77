import { request as httpRequest } from 'node:http'
import { type LoopbackUpstream, startUpstream, type UpstreamReply } from '@headgate/conformance'
import type { Served } from '../../../../packages/store/test/books.ts'
import { API_KEY } from '../sdk/gateway.ts'

/** Callers that ask one after the other, each for itself. */
export interface Traffic {
  /** Answers that came whole. */
  readonly served: readonly Served[]
  /** What came of the others: a status, or how the connection ended. */
  readonly failed: readonly string[]
  /** Resolves when the last answer has come or broken off. */
  stop(): Promise<void>
}

export interface TrafficOptions {
  readonly url: string
  readonly callers: number
  /** Keys that callers send, in turn. */
  readonly keys?: readonly string[] | undefined
  /** Told of all that arrives as it arrives: how many bytes of answers, and how many whole answers. */
  onProgress?(bytes: number, served: number): void
}

/** No two requests of this process report the same. */
let asked = 0

/** An upstream that reports for each request the usage that it names, unary or streamed. */
export async function startCountingUpstream(): Promise<LoopbackUpstream> {
  const upstream = await startUpstream()
  upstream.answer(({ body }) => {
    const { messages, stream } = Object(body)
    const number = Number(messages?.[0]?.content)
    return stream ? streamed(number) : whole(number)
  })
  return upstream
}

export function startTraffic({ url, callers, keys = [API_KEY], onProgress = () => {} }: TrafficOptions): Traffic {
  const served: Served[] = []
  const failed: string[] = []
  let bytes = 0
  let isOn = true
  const call = async (): Promise<void> => {
    while (isOn) {
      const number = ++asked
      const key = keys[Math.floor(number / 2) % keys.length] ?? API_KEY
      const onBytes = (count: number, id: string | undefined): void => {
        bytes += count
        if (id) served.push({ id, input: number, output: outputOf(number) })
        onProgress(bytes, served.length)
      }
      const problem = await ask({ url, key, number, onBytes })
      if (problem) failed.push(problem)
    }
  }
  const calling = Array.from({ length: callers }, call)
  return {
    served,
    failed,
    async stop() {
      isOn = false
      await Promise.all(calling)
    },
  }
}

interface Question {
  readonly url: string
  readonly key: string
  readonly number: number
  /** With the id of the request when these bytes are its answer's last. */
  onBytes(count: number, id: string | undefined): void
}

/** Every other answer is streamed. Resolves with what went wrong. */
function ask({ url, key, number, onBytes }: Question): Promise<string | undefined> {
  const stream = number % 2 === 0
  const body = JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: String(number) }], stream })
  return new Promise((resolve) => {
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    request.on('error', (error) => resolve(error.message))
    request.on('response', (response) => {
      let text = ''
      let isWhole = false
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        const isLast = stream
          ? text.endsWith('data: [DONE]\n\n')
          : Buffer.byteLength(text) === Number(response.headers['content-length'])
        isWhole ||= isLast && response.statusCode === 200
        onBytes(Buffer.byteLength(piece), isLast && isWhole ? String(response.headers['x-request-id']) : undefined)
      })
      response.on('error', () => {})
      response.on('close', () => resolve(isWhole ? undefined : `${response.statusCode} ${text}`))
    })
    request.end(body)
  })
}

function outputOf(number: number): number {
  return (number % 89) + 1
}

function usageOf(number: number): object {
  return { prompt_tokens: number, completion_tokens: outputOf(number), total_tokens: number + outputOf(number) }
}

function whole(number: number): UpstreamReply {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }]
  return {
    kind: 'whole',
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4.1',
      choices,
      usage: usageOf(number),
    },
  }
}

function streamed(number: number): UpstreamReply {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1' }
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: { content: 'lo.' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage: usageOf(number) },
  ].map((frame) => JSON.stringify(frame))
  return { kind: 'stream', pieces: [...frames, '[DONE]'].map((data) => Buffer.from(`data: ${data}\n\n`)) }
}
