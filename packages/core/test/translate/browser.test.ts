import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createContext, Script } from 'node:vm'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as translate from '../../src/translate.ts'
import { chatAnswer, chatFrames, messagesAnswer, messagesFrames } from '../support/wire.ts'

/** What every browser has and the translation needs; nothing of Node. */
const WEB = { TextDecoder, TextEncoder, URL, atob, btoa, crypto }

type FormatId = translate.TranslatedFormat
const IDS: readonly FormatId[] = ['chat-completions', 'messages', 'generate-content', 'responses']
const DIRECTIONS = IDS.flatMap((from) => IDS.map((to) => [from, to] as const))

const REQUESTS: Readonly<Record<FormatId, translate.Json>> = {
  'chat-completions': { model: 'small', messages: [{ role: 'user', content: 'Hello' }] },
  messages: { model: 'small', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  responses: { model: 'small', input: 'Hello' },
}

/** Written from the vendor's documentation. @see https://ai.google.dev/api/generate-content */
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi there' }] }, finishReason: 'STOP', index: 0 }],
}

/** Written from the vendor's documentation. @see https://platform.openai.com/docs/api-reference/responses */
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi there' }],
}
const responded = { id: 'resp_1', object: 'response', status: 'completed', model: 'small', output: [said] }

const ANSWERS: Readonly<Record<FormatId, translate.Json>> = {
  'chat-completions': chatAnswer(),
  messages: messagesAnswer(),
  'generate-content': generated,
  responses: responded,
}

const STREAMS: Readonly<Record<FormatId, string>> = {
  'chat-completions': chatFrames().join(''),
  messages: messagesFrames().join(''),
  'generate-content': `data: ${JSON.stringify(generated)}\n\n`,
  responses: `data: ${JSON.stringify({ type: 'response.completed', sequence_number: 0, response: responded })}\n\n`,
}

describe('@headgate/core/translate in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-browser-'))
  let source: string
  let browser: typeof translate

  beforeAll(async () => {
    await build({
      config: false,
      entry: { translate: resolve(import.meta.dirname, '../../src/translate.ts') },
      outDir: folder,
      format: 'iife',
      globalName: 'translate',
      platform: 'browser',
      target: 'es2023',
      noExternal: [/./],
      silent: true,
    })
    source = readFileSync(join(folder, 'translate.global.js'), 'utf8')
    const context = createContext({ ...WEB })
    new Script(source).runInContext(context)
    browser = context['translate'] as typeof translate
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has nothing of Node in it', () => {
    expect(source.match(/.*(?:["']node:|\bBuffer\b|\bprocess(?:\?\.)?[.[]\w|typeof process|\brequire\().*/g)).toBeNull()
  })

  it.each(DIRECTIONS)('translates requests, answers and streams from %s to %s', async (from, to) => {
    const { body, fetch } = browser.translateRequest(REQUESTS[from], { from, to, model: 'small' })
    expect([JSON.stringify(body), fetch.length]).toEqual([expect.stringContaining('Hello'), 0])
    const answer = browser.translateResponse(ANSWERS[from], { from, to, request: REQUESTS[to], model: 'small' })
    expect(JSON.stringify(answer.body)).toContain('Hi there')

    async function* chunks() {
      yield new TextEncoder().encode(STREAMS[from])
    }
    let text = ''
    for await (const chunk of browser.translateStream(chunks(), { from, to })) text += new TextDecoder().decode(chunk)
    expect(text).toContain('there')
    expect(text).not.toMatch(/event: error|"error":\s*\{/)
  })

  it('lists what must be fetched, and takes it', () => {
    const url = 'https://example.com/a.png'
    const request = {
      model: 'small',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    }
    const to = { from: 'chat-completions', to: 'generate-content' } as const
    expect(browser.translateRequest(request, to).fetch.map((linked) => linked.url)).toEqual([url])
    const withMedia = { [url]: { data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0]) } }
    expect(JSON.stringify(browser.translateRequest(request, { ...to, withMedia }).body)).toContain(
      '"mimeType":"image/png"',
    )
  })

  it('throws its errors by their brand, also to whoever has another copy', () => {
    const refused = () => browser.translateRequest({}, { from: 'messages', to: 'chat-completions' })
    expect(refused).toThrow(expect.objectContaining({ kind: 'invalid-request', param: 'messages' }))
  })
})
