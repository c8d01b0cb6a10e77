import { z } from 'zod'
import type { Codec } from '../../../src/codec.ts'
import { defineProvider, object, objects } from '../../../src/provider.ts'

/** Found by asking, with a format of its own in lines of JSON. */
export const ollama = (chat: Codec) =>
  defineProvider(
    {
      id: 'ollama',
      title: 'Ollama',
      config: z.strictObject({ baseUrl: z.url().default('http://127.0.0.1:11434') }),
      env: { baseUrl: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] },
      probe: ({ baseUrl = 'http://127.0.0.1:11434' }) => ({ method: 'GET', url: `${baseUrl}/api/version` }),
    },
    ({ baseUrl }) => ({
      baseUrl,
      credential: { kind: 'none' },
      chat: [{ format: chat, path: () => '/api/chat', framing: 'ndjson' }],
      models: {
        request: () => ({ method: 'GET', url: '/api/tags' }),
        response: ({ body }) => objects(object(body)?.['models']).map(({ name }) => ({ id: String(name) })),
      },
    }),
  )
