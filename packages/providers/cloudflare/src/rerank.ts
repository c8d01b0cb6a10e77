import type { RerankSupport } from '@headgate/core/provider'
import { z } from 'zod'

const Ranked = z.object({ result: z.object({ response: z.array(z.object({ id: z.number(), score: z.number() })) }) })

/** @see https://developers.cloudflare.com/workers-ai/models/bge-reranker-base/ */
export function rerankAt(base: string): RerankSupport {
  return {
    request({ model, query, documents, top, maxTokensPerDocument }, { lose }) {
      if (maxTokensPerDocument !== undefined) lose('max_tokens_per_doc', 'the provider has no equivalent')
      const json = { query, contexts: documents.map((text) => ({ text })), ...(top !== undefined && { top_k: top }) }
      return { method: 'POST', url: `${base}/run/${model}`, body: { json } }
    },
    response: ({ body }) => ({
      results: Ranked.parse(body).result.response.map(({ id: index, score }) => ({ index, score })),
    }),
  }
}
