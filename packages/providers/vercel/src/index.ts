import { openAICompatible, readModel } from '@headgate/core/openai-compatible'
import { type Json, type ModelFacts, text } from '@headgate/core/provider'
import { models } from './models.ts'

const FAMILIES: Readonly<Record<string, readonly string[]>> = { language: ['chat'], embedding: ['embeddings'] }

/**
 * Vercel AI Gateway: chat completions, embeddings, messages and responses of models of many vendors, and the live model
 * list.
 *
 * A model is `<vendor>/<model>`. Messages are forwarded unchanged. The list has a `type` for each model; types other
 * than language and embeddings are ignored. Responses are stored in the account of the vendor that created them and
 * cannot be found again: requests with `store` are translated.
 *
 * @see https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions
 * @see https://vercel.com/docs/ai-gateway/anthropic-compat
 * @see https://vercel.com/docs/ai-gateway/sdks-and-apis/responses
 * @see https://github.com/vercel/ai/issues/15308
 */
export const vercel = openAICompatible({
  id: 'vercel',
  title: 'Vercel AI Gateway',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  env: { apiKey: ['AI_GATEWAY_API_KEY'] },
  messages: '/v1/messages',
  responses: { storesResponses: false },
  embeddings: true,
  models: readTyped,
  known: models,
})

function readTyped(entry: Json): ModelFacts | undefined {
  const model = readModel(entry)
  const families = FAMILIES[text(entry['type']) ?? '']
  return model && families && { ...model, families }
}
