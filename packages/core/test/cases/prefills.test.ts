import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import {
  type TranslatedFormat,
  type TranslateStreamOptions,
  translateRequest,
  translateResponse,
  translateStream,
} from '../../src/translate.ts'

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/prefill-claudes-response
 * @see https://docs.mistral.ai/api for `prefix`
 */
const request: Json = {
  model: 'm',
  max_tokens: 64,
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Once upon' },
  ],
}
const OTHERS: readonly TranslatedFormat[] = ['chat-completions', 'responses', 'generate-content']
const MARKED = {
  from: 'chat-completions',
  to: 'messages',
  model: 'm',
  facts: { prefix: 'prefix' },
  request,
} as const satisfies TranslateStreamOptions & {
  facts: object
}

async function streamed(pieces: readonly string[]): Promise<string> {
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    const chunk = (delta: Json, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    for (const content of pieces) yield new TextEncoder().encode(chunk({ content }))
    yield new TextEncoder().encode(`${chunk({}, 'stop')}data: [DONE]\n\n`)
  }
  let out = ''
  for await (const piece of translateStream(chunks(), MARKED)) out += new TextDecoder().decode(piece)
  return [...out.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, text]) => text).join('')
}

describe('The beginning of an answer that a caller of messages brings along', () => {
  it.each(OTHERS)('is declared where %s makes it a finished turn', (to) => {
    const { lost } = translateRequest(request, { from: 'messages', to, model: 'm' })
    expect(lost).toMatchObject([{ path: 'messages[1]', kind: 'changed' }])
    const asked = { ...request, messages: [{ role: 'user', content: 'Hello' }] }
    expect(translateRequest(asked, { from: 'messages', to, model: 'm' }).lost).toEqual([])
  })

  it('is marked where the provider has a mark, and is then no loss', () => {
    const { body, lost } = translateRequest(request, {
      from: 'messages',
      to: 'chat-completions',
      model: 'm',
      facts: MARKED.facts,
    })
    expect(body?.['messages']).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Once upon', prefix: true },
    ])
    expect(lost).toEqual([])
  })

  it.each([
    ['repeats it', ['On', 'ce up', 'on a time']],
    ['goes on', [' a ', 'time']],
  ])('stands once in the conversation where the answer %s', async (_, pieces) => {
    const message = { role: 'assistant', content: pieces.join('') }
    const whole = {
      id: 'a',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    }
    expect(translateResponse(whole, MARKED).body['content']).toMatchObject([{ text: ' a time' }])
    expect(await streamed(pieces)).toBe(' a time')
  })
})
