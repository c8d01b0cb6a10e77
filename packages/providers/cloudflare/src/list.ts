import type { Exchange, ModelFacts } from '@headgate/core/provider'
import { z } from 'zod'

const Listed = z.object({
  result: z.array(z.object({ name: z.string(), task: z.object({ name: z.string() }).nullish() })),
})

/** Families by task. Text classification is ignored, except rerank models. */
const FAMILIES: Readonly<Record<string, string>> = { 'Text Generation': 'chat', 'Text Embeddings': 'embeddings' }

/** @see https://developers.cloudflare.com/api/resources/ai/subresources/models/methods/list/ */
export function listAt(base: string): Exchange<void, readonly ModelFacts[]> {
  return {
    request: () => ({ method: 'GET', url: `${base}/models/search?per_page=1000` }),
    response: ({ body }) =>
      Listed.parse(body).result.flatMap(({ name: id, task }) => {
        const family = /rerank/.test(id) ? 'rerank' : FAMILIES[task?.name ?? '']
        return family === undefined ? [] : [{ id, families: [family] }]
      }),
  }
}
