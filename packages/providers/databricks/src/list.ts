import type { Exchange, ModelFacts } from '@headgate/core/provider'
import { z } from 'zod'

const Listed = z.object({ endpoints: z.array(z.object({ name: z.string(), task: z.string().nullish() })).nullish() })
const FAMILIES: Readonly<Record<string, string>> = { 'llm/v1/chat': 'chat', 'llm/v1/embeddings': 'embeddings' }

/** @see https://docs.databricks.com/api/workspace/servingendpoints/list */
export const list: Exchange<void, readonly ModelFacts[]> = {
  request: () => ({ method: 'GET', url: '/api/2.0/serving-endpoints' }),
  response: ({ body }) =>
    (Listed.parse(body).endpoints ?? []).flatMap(({ name: id, task }) => {
      const family = FAMILIES[task ?? '']
      return family === undefined ? [] : [{ id, families: [family] }]
    }),
}
