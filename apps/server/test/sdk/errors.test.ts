import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import { failures, scenarios, type UpstreamReply } from '@headgate/conformance'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { chunksOf, GOOGLE_MODES, type GoogleMode, googleAt } from './google.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

/** What an SDK is asked to do, with a key and a model. */
interface Attempt {
  readonly apiKey?: string
  readonly model?: string
  readonly vendor?: string
  readonly stream?: boolean
}

/** An SDK and its classes of errors. */
interface Sdk {
  readonly name: string
  ask(url: string, attempt: Attempt): Promise<unknown>
  readonly errors: Record<
    'badKey' | 'badRequest' | 'rateLimit' | 'server' | 'inStream',
    new (
      ...given: never[]
    ) => Error
  >
  /** Seconds to wait, as the caller's code reads them. */
  retryAfter(error: unknown): string | undefined
}

const MODEL = 'gpt-5.4'

const openaiSdk: Sdk = {
  name: 'openai',
  async ask(url, { apiKey = API_KEY, model = MODEL, vendor = 'auto', stream = false }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, defaultHeaders: { vendor } })
    const body = { model, messages: [{ role: 'user' as const, content: 'Hello.' }] }
    if (!stream) return client.chat.completions.create(body)
    return client.chat.completions.stream({ ...body, stream }).finalChatCompletion()
  },
  errors: {
    badKey: OpenAI.AuthenticationError,
    badRequest: OpenAI.BadRequestError,
    rateLimit: OpenAI.RateLimitError,
    server: OpenAI.InternalServerError,
    inStream: OpenAI.APIError,
  },
  retryAfter: (error) => Object(error).headers.get('retry-after'),
}

const anthropicSdk: Sdk = {
  name: '@anthropic-ai/sdk',
  async ask(url, { apiKey = API_KEY, model = MODEL, vendor = 'auto', stream = false }) {
    const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0, defaultHeaders: { vendor } })
    const body = { model, max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello.' }] }
    return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body)
  },
  errors: {
    badKey: Anthropic.AuthenticationError,
    badRequest: Anthropic.BadRequestError,
    rateLimit: Anthropic.RateLimitError,
    server: Anthropic.InternalServerError,
    inStream: Anthropic.APIError,
  },
  retryAfter: (error) => Object(error).headers.get('retry-after'),
}

/** It has one class, whose status says which error it is. */
const googleSdk = (mode: GoogleMode): Sdk => ({
  name: `@google/genai (${mode})`,
  async ask(url, { apiKey = API_KEY, model = MODEL, vendor = 'auto', stream = false }) {
    const { models } = googleAt(url, mode, { apiKey, headers: { vendor } })
    const asked = { model, contents: 'Hello.' }
    return stream ? chunksOf(await models.generateContentStream(asked)) : models.generateContent(asked)
  },
  errors: { badKey: ApiError, badRequest: ApiError, rateLimit: ApiError, server: ApiError, inStream: ApiError },
  retryAfter: (error) => /"retryDelay":"(\d+)s"/.exec(String(error))?.[1],
})

const SDKS = [openaiSdk, anthropicSdk, ...GOOGLE_MODES.map(googleSdk)]

const openai = PROVIDERS[0] ?? expect.unreachable()

function failure(status: number, message: string, headers: Record<string, string> = {}): UpstreamReply {
  return { kind: 'whole', status, headers, body: failures['chat-completions'].body(status, message) }
}

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(SDKS)('fails towards $name in its own classes', ({ ask, errors, retryAfter }) => {
    const failed = async (attempt: Attempt = {}): Promise<unknown> => {
      try {
        await ask(stage.url, attempt)
      } catch (error) {
        return error
      }
      return expect.unreachable('The SDK took a failure for an answer.')
    }
    const expectFailure = (error: unknown, kind: keyof Sdk['errors'], status: number) => {
      expect(error).toBeInstanceOf(errors[kind])
      expect(error).toMatchObject({ status })
    }

    it('when the key is not known', async () => {
      expectFailure(await failed({ apiKey: 'sk-unknown' }), 'badKey', 401)
    })

    it('when nobody has the model, or the vendor is unknown', async () => {
      const noModel = await failed({ model: 'model-of-nobody' })
      expectFailure(noModel, 'badRequest', 400)
      expect(String(noModel)).toContain('model-of-nobody')
      const noVendor = await failed({ vendor: 'nobody' })
      expectFailure(noVendor, 'badRequest', 400)
      expect(String(noVendor)).toContain('openai, anthropic, google')
    })

    it('when the provider refuses the request, with its words', async () => {
      stage.upstream(openai).answer(failure(400, 'Too many sausages.'))
      const error = await failed()
      expectFailure(error, 'badRequest', 400)
      expect(String(error)).toContain('Too many sausages.')
    })

    it("when the provider refuses the gateway's own key, without its words", async () => {
      stage.upstream(openai).answer(failure(401, 'Incorrect API key: key-of-the-provider'))
      const error = await failed()
      expectFailure(error, 'server', 500)
      expect(JSON.stringify(error) + String(error)).not.toContain('key-of-the-provider')
    })

    it('when the provider has had enough, with the wait that it asks for', async () => {
      stage.upstream(openai).answer(failure(429, 'Slow down.', { 'retry-after': '3600' }))
      const error = await failed()
      expectFailure(error, 'rateLimit', 429)
      expect(retryAfter(error)).toBe('3600')
    })

    it('when the provider breaks off within a stream', async () => {
      const half = scenarios.text.answers['chat-completions'].stream.slice(0, 600)
      stage.upstream(openai).answer({ kind: 'stream', pieces: [Buffer.from(half)], end: 'cut' })
      expect(await failed({ stream: true })).toBeInstanceOf(errors.inStream)
    })
  })
})
