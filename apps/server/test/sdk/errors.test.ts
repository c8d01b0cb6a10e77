import Anthropic from '@anthropic-ai/sdk'
import { type Reply, scenarios } from '@headgate/conformance'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

/** What an SDK is asked to do, with a key and a model. */
interface Attempt {
  readonly apiKey?: string
  readonly model?: string
  readonly vendor?: string
  readonly stream?: boolean
}

const SDKS = [
  {
    name: 'openai',
    errors: OpenAI,
    async ask(url: string, { apiKey = API_KEY, model = 'gpt-4.1', vendor = 'auto', stream = false }: Attempt) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, defaultHeaders: { vendor } })
      const body = { model, messages: [{ role: 'user' as const, content: 'Hello.' }] }
      if (!stream) return client.chat.completions.create(body)
      return client.chat.completions.stream({ ...body, stream }).finalChatCompletion()
    },
  },
  {
    name: '@anthropic-ai/sdk',
    errors: Anthropic,
    async ask(url: string, { apiKey = API_KEY, model = 'gpt-4.1', vendor = 'auto', stream = false }: Attempt) {
      const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0, defaultHeaders: { vendor } })
      const body = { model, max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello.' }] }
      return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body)
    },
  },
] as const

const openai = PROVIDERS[0] ?? expect.unreachable()

/** OpenAI's error shape, written from https://platform.openai.com/docs/guides/error-codes. */
function failure(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { kind: 'whole', status, headers, body: { error: { message, type: 'invalid_request_error', param: null, code: null } } }
}

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const { name, errors, ask } of SDKS) {
    const failed = async (attempt: Attempt = {}): Promise<unknown> => {
      try {
        await ask(stage.url, attempt)
      } catch (error) {
        return error
      }
      return expect.unreachable('The SDK took a failure for an answer.')
    }

    describe(`fails towards ${name} in its own classes`, () => {
      it('when the key is not known', async () => {
        expect(await failed({ apiKey: 'sk-unknown' })).toBeInstanceOf(errors.AuthenticationError)
      })

      it('when nobody has the model, or the vendor is unknown', async () => {
        const noModel = await failed({ model: 'model-of-nobody' })
        expect(noModel).toBeInstanceOf(errors.BadRequestError)
        expect(String(noModel)).toContain('model-of-nobody')
        const noVendor = await failed({ vendor: 'nobody' })
        expect(noVendor).toBeInstanceOf(errors.BadRequestError)
        expect(String(noVendor)).toContain('openai, anthropic')
      })

      it('when the provider refuses the request, with its words', async () => {
        stage.upstream(openai).answer(failure(400, 'Too many sausages.'))
        const error = await failed()
        expect(error).toBeInstanceOf(errors.BadRequestError)
        expect(String(error)).toContain('Too many sausages.')
      })

      it("when the provider refuses the gateway's own key, without its words", async () => {
        stage.upstream(openai).answer(failure(401, 'Incorrect API key: key-of-the-provider'))
        const error = await failed()
        expect(error).toBeInstanceOf(errors.InternalServerError)
        expect(JSON.stringify(error) + String(error)).not.toContain('key-of-the-provider')
      })

      it('when the provider has had enough, with the wait that it asks for', async () => {
        stage.upstream(openai).answer(failure(429, 'Slow down.', { 'retry-after': '3600' }))
        const error = await failed()
        expect(error).toBeInstanceOf(errors.RateLimitError)
        expect(Object(error).headers.get('retry-after')).toBe('3600')
      })

      it('when the provider breaks off within a stream', async () => {
        const half = scenarios.text.answers['chat-completions'].stream.slice(0, 600)
        stage.upstream(openai).answer({ kind: 'stream', pieces: [Buffer.from(half)], end: 'cut' })
        expect(await failed({ stream: true })).toBeInstanceOf(errors.APIError)
      })
    })
  }
})
