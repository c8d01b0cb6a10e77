import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const WORDS = ['One', ' two', ' three']

const chunk = (fields: object): string =>
  `data: ${JSON.stringify({ ...fields, modelVersion: 'small-1', responseId: 'r1' })}\r\n\r\n`

/** A stream of generateContent: each chunk has text, the last one the end as well. */
function generateFrames(words: readonly string[]): string[] {
  return words.map((text, index) => {
    const finish = index === words.length - 1 ? { finishReason: 'STOP' } : {}
    return chunk({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, ...finish }],
      usageMetadata: { promptTokenCount: 3 },
    })
  })
}

/** The frames of a stream in pieces that end with a word, and what follows the last word. */
function pieces(frames: readonly string[]): string[] {
  const out: string[] = ['']
  let word = 0
  for (const frame of frames) {
    const last = out.length - 1
    out[last] += frame
    if (word < WORDS.length && frame.includes(JSON.stringify(WORDS[word]))) {
      word++
      out.push('')
    }
  }
  return out
}

interface Wire {
  readonly provider: (url: string) => ProviderInstance
  readonly frames: readonly string[]
}

const PROVIDERS: Readonly<Record<string, Wire>> = {
  'chat-completions': { provider: chatProvider, frames: chatFrames(WORDS) },
  messages: { provider: messagesProvider, frames: messagesFrames(WORDS) },
  'generate-content': {
    provider: (url) =>
      chatProvider(url, { chat: [{ format: 'generate-content', path: () => '/x:streamGenerateContent?alt=sse' }] }),
    frames: generateFrames(WORDS),
  },
}

const generateRequest = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const CALLERS: readonly (readonly [string, string, string, object])[] = [
  ['chat-completions', 'chat-completions', CHAT, { ...chatRequest, stream: true }],
  ['messages', 'messages', MESSAGES, { ...messagesRequest, stream: true }],
  ['generate-content', 'generate-content', '/v1beta/models/small:streamGenerateContent?alt=sse', generateRequest],
  [
    'generate-content',
    'generate-content, as a JSON array',
    '/v1beta/models/small:streamGenerateContent',
    generateRequest,
  ],
]

const DIRECTIONS = Object.entries(PROVIDERS).flatMap(([from, wire]) =>
  CALLERS.map(([to, name, path, request]) => ({ from, to, name, path, request, wire })),
)

describe('A stream that waits after each word until the caller has it', () => {
  it.each(DIRECTIONS)(
    'comes to its end, so no word waits for the next: from $from to $name',
    async ({ path, request, wire }) => {
      const upstream = await startUpstream()
      const { post } = await startGateway('node', { providers: [wire.provider(upstream.url)] })
      const answering = post(path, request)
      const call = await upstream.next()
      call.head(200, { 'content-type': 'text/event-stream' })
      const [first = '', ...rest] = pieces(wire.frames)
      await call.write(first)

      const response = await answering
      const reader = response.body?.getReader()
      const decoder = new TextDecoder()
      let text = ''
      const read = async (): Promise<boolean> => {
        const { value, done } = (await reader?.read()) ?? { done: true }
        text += decoder.decode(value, { stream: true })
        return !done
      }
      for (const [index, word] of WORDS.entries()) {
        while (!text.includes(JSON.stringify(word))) expect(await read()).toBe(true)
        for (const later of WORDS.slice(index + 1)) expect(text).not.toContain(JSON.stringify(later))
        const piece = rest[index] ?? ''
        if (piece !== '') await call.write(piece)
      }
      call.end()
      while (await read());
      expect([response.status, text.includes('"error"')]).toEqual([200, false])
    },
  )
})
