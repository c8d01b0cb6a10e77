import { objects } from '@headgate/core/canonical'
import type { RerankSupport } from '@headgate/core/contract'
import type { CostInput, UsageBound } from '../../cost/bound.ts'

/** Cohere's billing of searches. Servers that forward to Cohere bill the same way. */
const USUAL = { documents: 100, tokens: 500 }

/** Worst-case cost. The query may count again with every document; a string has at most one token per byte. */
export function boundOfRerank({ body, provider }: CostInput): UsageBound | undefined {
  if (!body) return undefined
  const { query, documents } = body.json
  const list = Array.isArray(documents) ? documents : []
  const asked = typeof query === 'string' ? Buffer.byteLength(query) : 0
  const billing = provider?.rerank?.billing
  if (!billing)
    return {
      input: body.bytes.length + asked * list.length,
      output: 0,
      perhaps: { searches: searchesOf(USUAL, asked, list) },
    }
  return { input: 0, output: 0, units: { searches: searchesOf(billing, asked, list) } }
}

/** Number of billed searches. A document counts once for each part that fits next to the query. */
function searchesOf(
  { documents, tokens }: NonNullable<RerankSupport['billing']>,
  asked: number,
  list: readonly unknown[],
): number {
  const room = tokens - Math.min(asked, Math.floor(tokens / 2))
  let parts = 0
  for (const one of list) parts += Math.max(1, Math.ceil(Buffer.byteLength(textIn(one)) / room))
  return Math.max(1, Math.ceil(parts / documents))
}

function textIn(document: unknown): string {
  if (typeof document === 'string') return document
  const [fields] = objects([document])
  return fields ? JSON.stringify(fields) : ''
}
