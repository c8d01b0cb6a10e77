import { openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { config, env } from './credentials.ts'
import { listAt } from './list.ts'
import { models } from './models.ts'
import { rerankAt } from './rerank.ts'

/**
 * Cloudflare Workers AI: chat completions, embeddings, reranking, and the live model list.
 *
 * The output limit is `max_tokens`. Errors, rankings and the model list are wrapped in the envelope of Cloudflare's
 * API.
 *
 * @see https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/
 * @see https://developers.cloudflare.com/workers-ai/platform/errors/
 */
export const cloudflare = defineProvider(
  {
    id: 'cloudflare',
    title: 'Cloudflare Workers AI',
    config,
    env,
    claims: [/^@(?:cf|hf)\//],
  },
  ({ account, ...given }) => {
    const base = `/accounts/${account}/ai`
    const server = openAICompatibleServer({
      ...given,
      base: `${base}/v1`,
      known: models,
      embeddings: { batch: 100, tokens: false },
      rename: { max_completion_tokens: 'max_tokens' },
      errors: { 3036: 'our-quota', 3042: 'unknown-model', 5007: 'unknown-model' },
    })
    return { ...server, models: listAt(base), rerank: rerankAt(base) }
  },
)
