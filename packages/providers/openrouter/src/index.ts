import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/** Whose signatures the models of a vendor make. */
const SIGNERS = { anthropic: 'claude', google: 'gemini', openai: 'gpt', 'x-ai': 'grok' } as const

/**
 * OpenRouter: chat completions, responses as they are, embeddings and reranking by models of many vendors, and the live
 * list of models.
 *
 * It keeps no answers of the responses format: those that are to be kept are translated.
 * Reasoning stands in `reasoning` and, with its signatures, in `reasoning_details`, where it is taken back; who
 * signed it follows from the vendor of the model.
 * A stream has comments while it waits, and reports usage in any case.
 *
 * @see https://openrouter.ai/docs/api/reference/overview
 * @see https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
 * @see https://openrouter.ai/docs/api/api-reference/responses/create-responses
 * @see https://openrouter.ai/docs/api/api-reference/rerank/create-rerank
 */
export const openrouter = openAICompatible({
  id: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  responses: { keepsAnswers: false },
  embeddings: true,
  rerank: true,
  facts: { reasoning: 'reasoning_details', usageInStream: 'always' },
  signer: (model) => Object.entries(SIGNERS).find(([vendor]) => model.startsWith(`${vendor}/`))?.[1],
  known: models,
})
