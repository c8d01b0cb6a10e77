import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import { failures, type Received, type UpstreamReply } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { GOOGLE_MODES, type GoogleMode, googleAt } from './google.ts'
import { send } from './literal.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const SYSTEM = 'Answer in one word, in capitals.'
const QUESTION = 'Which planet is the largest?'
const BYTES = Buffer.alloc(3000, 'bytes').toString('base64')

/** What an SDK is told of the tokens of the question. */
interface Counted {
  readonly tokens: number | undefined
  readonly estimated: string | null | undefined
  readonly vendor: string | null | undefined
}

interface Counter {
  readonly name: string
  /** Its class of errors. */
  readonly error: new (
    ...given: never[]
  ) => Error
  /** Whether it lets a system prompt through. */
  readonly system: boolean
  count(url: string, model: string): Promise<Counted>
}

const anthropicSdk: Counter = {
  name: '@anthropic-ai/sdk',
  error: Anthropic.BadRequestError,
  system: true,
  async count(url, model) {
    const client = new Anthropic({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
    const body = { model, system: SYSTEM, messages: [{ role: 'user' as const, content: QUESTION }] }
    const { data, response } = await client.messages.countTokens(body).withResponse()
    const { headers } = response
    return {
      tokens: data.input_tokens,
      estimated: headers.get('headgate-estimated'),
      vendor: headers.get('headgate-vendor'),
    }
  },
}

/** For the Gemini API the SDK refuses to count anything but contents. */
const googleSdk = (mode: GoogleMode): Counter => ({
  name: `@google/genai (${mode})`,
  error: ApiError,
  system: mode !== 'Gemini API',
  async count(url, model) {
    const asked = { model, contents: QUESTION, ...(mode !== 'Gemini API' && { config: { systemInstruction: SYSTEM } }) }
    const { totalTokens, sdkHttpResponse } = await googleAt(url, mode).models.countTokens(asked)
    const { headers = {} } = sdkHttpResponse ?? {}
    return { tokens: totalTokens, estimated: headers['headgate-estimated'] ?? null, vendor: headers['headgate-vendor'] }
  },
})

const COUNTERS = [anthropicSdk, ...GOOGLE_MODES.map(googleSdk)]

const [openai, anthropic, google] = PROVIDERS
if (!openai || !anthropic || !google) throw new TypeError('The stage has too few providers.')

const NOT_FOUND: UpstreamReply = { kind: 'whole', status: 404, body: { error: { message: 'There is no such path.' } } }

/** Vendors that count, written from their documentation; every other path is one that does not exist. */
const VENDORS = [
  {
    /** @see https://platform.claude.com/docs/en/api/messages-count-tokens */
    provider: anthropic,
    reply: ({ path }: Received): UpstreamReply =>
      path === '/v1/messages/count_tokens' ? { kind: 'whole', body: { input_tokens: 17 } } : NOT_FOUND,
    counted: (body: unknown, system: boolean) => {
      expect(body).toMatchObject({
        model: anthropic.model,
        messages: [{ role: 'user' }],
        ...(system && { system: expect.anything() }),
      })
      // Counting takes none of what only an answer needs.
      expect(body).not.toHaveProperty('max_tokens')
    },
  },
  {
    /** @see https://ai.google.dev/api/tokens */
    provider: google,
    reply: ({ path }: Received): UpstreamReply =>
      path === `/v1beta/models/${google.model}:countTokens`
        ? { kind: 'whole', body: { totalTokens: 17, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 17 }] } }
        : NOT_FOUND,
    counted: (body: unknown, system: boolean) =>
      expect(body).toMatchObject({
        generateContentRequest: {
          model: `models/${google.model}`,
          contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
          ...(system && { systemInstruction: { parts: [{ text: SYSTEM }] } }),
        },
      }),
  },
] as const

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(COUNTERS)('counts tokens for $name', ({ count, system, error }) => {
    it.each(VENDORS)('exactly where the provider counts: $provider.name', async ({ provider, reply, counted }) => {
      const upstream = stage.upstream(provider)
      upstream.answer(reply)
      expect(await count(stage.url, provider.model)).toEqual({ tokens: 17, estimated: null, vendor: provider.name })
      const requests = upstream.received.filter(({ method }) => method === 'POST')
      expect(requests).toHaveLength(1)
      counted(requests[0]?.body, system)
    })

    it('by an estimate where it does not, and says so', async () => {
      const upstream = stage.upstream(openai)
      upstream.answer({ kind: 'reset' })
      const { tokens, ...said } = await count(stage.url, openai.model)
      expect(said).toEqual({ estimated: 'true', vendor: 'openai' })
      // A token is a word or a mark here, more or less.
      const words = QUESTION.split(' ').length + (system ? SYSTEM.split(' ').length : 0)
      expect(tokens).toBeGreaterThanOrEqual(words)
      expect(tokens).toBeLessThanOrEqual(2 * words)
      expect(upstream.received.filter(({ method }) => method === 'POST')).toEqual([])
    })

    it.each(VENDORS)(
      'or fails in its own classes, with the words of the provider: $provider.name',
      async ({ provider }) => {
        stage
          .upstream(provider)
          .answer({ kind: 'whole', status: 400, body: failures[provider.format].body(400, 'Too many sausages.') })
        const failed = await count(stage.url, provider.model).catch((cause: unknown) => cause)
        expect(failed).toBeInstanceOf(error)
        expect(failed).toMatchObject({ status: 400, message: expect.stringContaining('Too many sausages.') })
      },
    )

    it('or fails when nobody has the model', async () => {
      const failed = await count(stage.url, 'model-of-nobody').catch((cause: unknown) => cause)
      expect(failed).toBeInstanceOf(error)
      expect(failed).toMatchObject({ status: 400, message: expect.stringContaining('model-of-nobody') })
    })
  })

  it.each([
    [
      '/v1/messages/count_tokens',
      'input_tokens',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BYTES } },
    ],
    [
      `/v1beta/models/${openai.model}:countTokens`,
      'totalTokens',
      { inlineData: { mimeType: 'image/png', data: BYTES } },
    ],
    [
      `/v1beta/models/${openai.model}:countTokens`,
      'totalTokens',
      { inline_data: { mime_type: 'image/png', data: BYTES } },
    ],
  ])('does not take bytes for words when it estimates: %s', async (path, field, part) => {
    const body = path.startsWith('/v1/messages')
      ? { model: openai.model, messages: [{ role: 'user', content: [part] }] }
      : { contents: [{ role: 'user', parts: [part] }] }
    const { status, headers, text } = await send(stage.url, path, JSON.stringify(body))
    expect([status, headers.get('headgate-estimated')]).toEqual([200, 'true'])
    expect(JSON.parse(text)[field]).toBeLessThan(BYTES.length / 100)
  })

  it('counts what stands in `generateContentRequest` as well', async () => {
    const upstream = stage.upstream(google)
    upstream.answer(VENDORS[1].reply)
    const body = { generateContentRequest: { contents: [{ role: 'user', parts: [{ text: QUESTION }] }] } }
    const { status, text } = await send(stage.url, `/v1beta/models/${google.model}:countTokens`, JSON.stringify(body))
    expect([status, JSON.parse(text)]).toEqual([200, { totalTokens: 17 }])
    VENDORS[1].counted(upstream.received[0]?.body, false)
  })
})
