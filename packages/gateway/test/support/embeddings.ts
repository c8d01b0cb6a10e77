import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { EmbeddingsRequest, EmbeddingsSupport, ProviderInstance } from '../../../core/src/provider.ts'
import { chatProvider, SECRET } from './gateway.ts'
import type { UpstreamCall } from './upstream.ts'

/**
 * Bodies are written from https://platform.openai.com/docs/api-reference/embeddings and
 * https://ai.google.dev/api/embeddings.
 */

export const VECTOR = [0.5, -0.25, 1]
export const BASE64 = 'AAAAPwAAgL4AAIA/'
export const PRICE = { id: 'list@today', input: 20_000_000, output: 0 }
export const MODEL = { id: 'embed-1', price: PRICE, families: ['embeddings'] }

export function server(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  const provider = openAICompatibleServer({
    baseUrl,
    apiKey: SECRET,
    embeddings: { batch: 4 },
    models: false,
    known: [MODEL],
  })
  return { name: 'alpha', claims: [], ...provider, ...changes }
}

/** Answers as the vendor does: each vector tells which input it is of by its first number. */
export function vendor(call: UpstreamCall): void {
  const { input, encoding_format } = call.json()
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  const data = inputs.map((text, index) => {
    const vector = [typeof text === 'string' ? text.length : 0, ...VECTOR]
    const bytes = Buffer.from(new Float32Array(vector).buffer)
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? bytes.toString('base64') : vector }
  })
  call.answer(200, {
    object: 'list',
    data,
    model: 'embed-1-001',
    usage: { prompt_tokens: inputs.length * 3, total_tokens: inputs.length * 3 },
  })
}

/** A provider with a wire of its own, which asks the call what the test says. */
export function foreign(
  baseUrl: string,
  changes: Partial<EmbeddingsSupport> = {},
  more: Partial<ProviderInstance> = {},
): ProviderInstance {
  return chatProvider(baseUrl, {
    name: 'beta',
    known: [MODEL],
    embeddings: {
      request({ model, inputs, dimensions, use }: EmbeddingsRequest, call) {
        if (dimensions !== undefined) call.lose('dimensions', 'vectors have one length')
        return { method: 'POST', url: '/embed', body: { json: { model, texts: inputs, use } } }
      },
      response: ({ body }) => {
        const { vectors, tokens } = body as { vectors: number[][]; tokens?: number }
        return { vectors, ...(tokens !== undefined && { usage: { input: tokens, output: 0 } }) }
      },
      ...changes,
    } as EmbeddingsSupport,
    ...more,
  })
}
