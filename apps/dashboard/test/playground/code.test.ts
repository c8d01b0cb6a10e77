import { spawnSync } from 'node:child_process'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ChatTurn, PlaygroundRequest } from '../../web/pages/playground/chat/conversation.ts'
import { aiCode, aiOpenAICode } from '../../web/pages/playground/code/ai.ts'
import {
  anthropicCode,
  curlOf,
  googleCode,
  openaiCode,
  openaiResponsesCode,
} from '../../web/pages/playground/code/clients.ts'
import { completionsBody } from '../../web/pages/playground/code/completions-body.ts'
import { generateBody } from '../../web/pages/playground/code/generate-body.ts'
import { messagesBody } from '../../web/pages/playground/code/messages-body.ts'
import { responsesBody } from '../../web/pages/playground/code/responses-body.ts'

const PLACE = { origin: 'http://127.0.0.1:9', variable: 'HEADGATE_API_KEY', isStrict: true }
const HARD = `Don't say "$HOME" \\ \n{ "a": 1 }\n`
const TURNS: readonly ChatTurn[] = [
  { role: 'user', text: HARD, files: [{ name: 'a.png', type: 'image/png', data: 'iVBORw0KGgo=' }] },
  {
    role: 'assistant',
    text: 'Wait.',
    reasoning: '',
    thoughts: [],
    items: [],
    calls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Oslo"}' }],
  },
  { role: 'results', results: [{ id: 'call_1', name: 'weather', text: '{"sun":true}' }] },
]
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const PLAIN: PlaygroundRequest = {
  format: 'chat-completions',
  model: 'demo',
  system: 'Be kind.',
  turns: [{ role: 'user', text: HARD, files: [] }],
  tools: [],
  parameters: {},
  streams: false,
  isStrict: true,
}
const FULL: PlaygroundRequest = {
  ...PLAIN,
  turns: TURNS,
  schema: SCHEMA,
  tools: [{ name: 'weather', description: 'The "weather".', parameters: SCHEMA }],
  parameters: { maxTokens: 100, temperature: 0.5, topP: 0.9, stop: ['END'], toolChoice: 'required' },
}

/** What code sends, run with the packages themselves: the process has no network but its own answer. */
async function sentBy(
  code: string,
): Promise<{ readonly url: string; readonly headers: Headers; readonly body: Record<string, unknown> }> {
  const sent: { url: string; headers: Headers; body: string }[] = []
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    sent.push({ url: request.url, headers: request.headers, body: await request.text() })
    return new Response('{"error":{"message":"enough"}}', {
      status: 400,
      headers: { 'content-type': 'application/json' },
    })
  })
  vi.stubEnv('HEADGATE_API_KEY', 'hg_x')
  // A stream says there that it was refused.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const require = createRequire(join(import.meta.dirname, '../../../../package.json'))
  const script = stripTypeScriptTypes(code).replace(
    /^import (.+) from '([^']+)'$/gm,
    (_, what: string, name: string) =>
      what.startsWith('{')
        ? `const ${what} = await load('${name}')`
        : `const ${what} = (await load('${name}')).default`,
  )
  const run = new Function('load', `return (async () => {\n${script}\n})()`) as (
    load: (name: string) => Promise<unknown>,
  ) => Promise<void>
  await run((name) => import(require.resolve(name))).catch(() => {})
  const [first] = sent
  if (!first) throw new Error('Nothing was sent.')
  return { ...first, body: JSON.parse(first.body) }
}

/** A body without the members that JSON leaves out. */
const asJson = <Body>(body: Body): Body => JSON.parse(JSON.stringify(body))

describe('Code of the playground', () => {
  for (const [name, request] of [
    ['plain', PLAIN],
    ['with all that there is', FULL],
    ['streamed', { ...PLAIN, streams: true }],
  ] as const) {
    it(`for openai sends the request: ${name}`, async () => {
      const { url, headers, body } = await sentBy(openaiCode(request, PLACE))
      expect([url, headers.get('headgate-strict'), headers.get('authorization')]).toEqual([
        `${PLACE.origin}/v1/chat/completions`,
        'true',
        'Bearer hg_x',
      ])
      expect(body).toEqual(completionsBody(request))
    })

    it(`for openai sends the request in the responses format: ${name}`, async () => {
      const { url, headers, body } = await sentBy(openaiResponsesCode(request, PLACE))
      expect([url, headers.get('headgate-strict'), headers.get('authorization')]).toEqual([
        `${PLACE.origin}/v1/responses`,
        'true',
        'Bearer hg_x',
      ])
      expect(body).toEqual(responsesBody(request))
    })

    it(`for ai with the package of OpenAI sends the request in the responses format: ${name}`, async () => {
      const { url, headers, body } = await sentBy(aiOpenAICode(request, PLACE))
      expect([url, headers.get('headgate-strict'), headers.get('authorization')]).toEqual([
        `${PLACE.origin}/v1/responses`,
        'true',
        'Bearer hg_x',
      ])
      // What is said stands among the items, and it lets the answer be kept.
      const {
        instructions,
        input,
        tools,
        text,
        store: _store,
        include: _include,
        ...expected
      } = asJson(responsesBody(request))
      expect(body).toMatchObject(expected)
      expect(JSON.stringify(body['input'])).toContain(JSON.stringify(HARD).slice(1, -1))
      expect(JSON.stringify(body)).toContain(String(instructions))
      expect((body['input'] as unknown[]).length).toBe((input as unknown[]).length + 1)
      expect(Boolean(body['tools'])).toBe(Boolean(tools))
      expect(Boolean(body['text'])).toBe(Boolean(text))
    })

    it(`for anthropic sends the request: ${name}`, async () => {
      const { url, headers, body } = await sentBy(anthropicCode(request, PLACE))
      expect([url, headers.get('headgate-strict'), headers.get('authorization')]).toEqual([
        `${PLACE.origin}/v1/messages`,
        'true',
        'Bearer hg_x',
      ])
      expect(body).toEqual(messagesBody(request))
    })

    it(`for google sends the request: ${name}`, async () => {
      const { url, headers, body } = await sentBy(googleCode(request, PLACE))
      const verb = request.streams ? ':streamGenerateContent?alt=sse' : ':generateContent'
      expect([url.replace('v1beta', 'v1'), headers.get('headgate-strict'), headers.get('x-goog-api-key')]).toEqual([
        // Its versions differ in whether they ask for the beta.
        `${PLACE.origin}/v1/models/demo${verb}`,
        'true',
        'hg_x',
      ])
      const { systemInstruction, ...expected } = asJson(generateBody(request))
      expect(body).toMatchObject(expected)
      expect(body['systemInstruction']).toMatchObject(systemInstruction as object)
    })

    it(`for ai sends the request: ${name}`, async () => {
      const { url, headers, body } = await sentBy(aiCode(request, PLACE))
      expect([url, headers.get('headgate-strict'), headers.get('authorization')]).toEqual([
        `${PLACE.origin}/v1/chat/completions`,
        'true',
        'Bearer hg_x',
      ])
      const {
        messages,
        tools,
        response_format: format,
        stream_options: _,
        ...expected
      } = asJson(completionsBody(request))
      expect(body).toMatchObject(expected)
      expect((body['messages'] as unknown[]).length).toBe((messages as unknown[]).length)
      expect(JSON.stringify(body['messages'])).toContain(JSON.stringify(HARD).slice(1, -1))
      expect(Boolean(body['tools'])).toBe(Boolean(tools))
      expect((body['response_format'] as { type?: string } | undefined)?.type).toBe(
        (format as { type?: string } | undefined)?.type,
      )
    })
  }

  it('for a terminal says what it is told, in each format', () => {
    const bodies = {
      'chat-completions': completionsBody,
      messages: messagesBody,
      'generate-content': generateBody,
      responses: responsesBody,
    }
    for (const format of ['chat-completions', 'messages', 'generate-content', 'responses'] as const) {
      const code = curlOf(FULL, format, PLACE).replace(/^curl \S+/, 'printf "%s\\n"')
      const { stdout } = spawnSync('sh', ['-c', code], { encoding: 'utf8', env: { HEADGATE_API_KEY: 'hg_x' } })
      expect(stdout).toContain('Authorization: Bearer hg_x\n')
      expect(JSON.parse(stdout.slice(stdout.indexOf('\n-d\n') + 4))).toEqual(bodies[format](FULL))
    }
  })

  it('cuts long data of files, and no text', () => {
    const data = 'A'.repeat(10_000)
    const turns: readonly ChatTurn[] = [
      { role: 'user', text: 'word '.repeat(1_000), files: [{ name: 'a.pdf', type: 'application/pdf', data }] },
    ]
    for (const code of [openaiCode, openaiResponsesCode, anthropicCode, googleCode, aiCode, aiOpenAICode].map((write) =>
      write({ ...PLAIN, turns }, PLACE),
    )) {
      expect(code).not.toContain('A'.repeat(100))
      expect(code).toContain('word '.repeat(1_000))
    }
  })
})
