import type { Part } from '@headgate/core/codec'
import { endpoint } from '@headgate/core/openai-compatible'
import { type ChatSupport, defineProvider, next, type Provider } from '@headgate/core/provider'
import { z } from 'zod'
import type { FormatFacts, KitFormat, ProviderFacts } from '../src/index.ts'

/** A word that does not look like a key, so that only whoever knows it can hide it. */
export const KEY = 'zebra.of.the.example'

/** What each vendor documents of its chat. */
const CHAT: Readonly<
  Record<KitFormat, { support: ChatSupport; upstream: FormatFacts; models: NonNullable<Provider['models']> }>
> = {
  'chat-completions': {
    support: { format: 'chat-completions', path: () => '/v1/chat/completions' },
    upstream: { format: 'chat-completions', path: '/v1/chat/completions', models: '/v1/models' },
    models: {
      request: () => ({ method: 'GET', url: '/v1/models' }),
      response: ({ body }) => (body as { data: { id: string }[] }).data,
    },
  },
  responses: {
    support: { format: 'responses', path: () => '/v1/responses', signer: 'gpt' },
    upstream: { format: 'responses', path: '/v1/responses', models: '/v1/models' },
    models: {
      request: () => ({ method: 'GET', url: '/v1/models' }),
      response: ({ body }) => (body as { data: { id: string }[] }).data,
    },
  },
  messages: {
    support: { format: 'messages', path: () => '/v1/messages', signer: 'claude' },
    upstream: { format: 'messages', path: '/v1/messages', models: '/v1/models' },
    models: {
      request: () => ({ method: 'GET', url: '/v1/models' }),
      response(answer, _, earlier) {
        const { has_more, last_id } = answer.body as { has_more: boolean; last_id: string }
        if (has_more) return next({ method: 'GET', url: `/v1/models?after_id=${last_id}` })
        return [...earlier, answer].flatMap(({ body }) => (body as { data: { id: string }[] }).data)
      },
    },
  },
  'generate-content': {
    support: {
      format: 'generate-content',
      path: ({ model, stream }) =>
        `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      signer: 'gemini',
    },
    upstream: {
      format: 'generate-content',
      path: {
        whole: '/v1beta/models/{model}:generateContent',
        stream: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
      },
      models: '/v1beta/models',
    },
    models: {
      request: () => ({ method: 'GET', url: '/v1beta/models' }),
      response(answer, _, earlier) {
        const { nextPageToken } = answer.body as { nextPageToken?: string }
        if (nextPageToken) return next({ method: 'GET', url: `/v1beta/models?pageToken=${nextPageToken}` })
        const pages = [...earlier, answer].flatMap(({ body }) => (body as { models: { name: string }[] }).models)
        return pages.map(({ name }) => ({ id: name.replace('models/', '') }))
      },
    },
  },
}

/** How an example deviates from one that is right. */
export interface Deviation {
  readonly provider?: Partial<Provider>
  readonly support?: Partial<ChatSupport>
}

/** An adapter that speaks a format as its vendor documents it, but for the deviation. */
export function example(format: KitFormat, { provider, support }: Deviation = {}) {
  return defineProvider(
    {
      id: 'example',
      title: 'Example',
      config: z.strictObject(endpoint('https://api.example.com')),
      env: { apiKey: ['EXAMPLE_API_KEY'] },
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-example-key', value: apiKey },
      chat: [{ ...CHAT[format].support, ...support }],
      models: CHAT[format].models,
      ...provider,
    }),
  )
}

export function factsOf(format: KitFormat, upstream: Partial<FormatFacts> = {}): ProviderFacts<{ apiKey: string }> {
  return {
    config: { apiKey: KEY },
    model: 'claude-sonnet-4-5',
    upstream: { ...CHAT[format].upstream, credential: { header: 'x-example-key', value: KEY }, ...upstream },
  }
}

/** A provider in this process, whose stream is given. */
export function local(run: (signal: AbortSignal) => AsyncIterable<Part>) {
  return defineProvider({ id: 'local', title: 'Local', config: z.strictObject({}), env: {} }, () => ({
    credential: { kind: 'none' },
    chat: [{ run: (_, signal) => run(signal) }],
  }))
}
