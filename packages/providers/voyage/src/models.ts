import type { ModelFacts } from '@headgate/core/provider'

const source = 'docs.voyageai.com/docs/pricing@2026-11-23'

/** Nano-dollars per million tokens. */
const [FULL, CODE, HALF, SMALL, RANK] = [120_000_000, 180_000_000, 60_000_000, 20_000_000, 50_000_000]

const priced = (family: string, context: number, input: number, ids: readonly string[]): ModelFacts[] =>
  ids.map((id) => ({ id, families: [family], context, inputs: ['text'], price: { id: source, input, output: 0 } }))

/** Models from the vendor's pages. There is no list. */
export const models: readonly ModelFacts[] = [
  ...priced('embeddings', 32_000, FULL, ['voyage-4-large', 'voyage-finance-2', 'voyage-multilingual-2']),
  ...priced('embeddings', 16_000, FULL, ['voyage-law-2']),
  ...priced('embeddings', 32_000, CODE, ['voyage-3-large', 'voyage-code-3']),
  ...priced('embeddings', 32_000, HALF, ['voyage-4', 'voyage-3.5']),
  ...priced('embeddings', 32_000, SMALL, ['voyage-4-lite', 'voyage-3.5-lite']),
  ...priced('rerank', 32_000, RANK, ['rerank-2.5']),
  ...priced('rerank', 32_000, SMALL, ['rerank-2.5-lite']),
]
