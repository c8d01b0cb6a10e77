import type { Check } from '../../checks/check.ts'
import type { FailingFamily } from '../../failures/family-checks.ts'
import { question, said } from './ranking.ts'
import type { RerankTarget } from './target.ts'
import { rerankVendor } from './vendor.ts'

export const FAILING_RERANK: FailingFamily<RerankTarget> = {
  requests: 'rerank requests',
  topic: 'reranking',
  question: ({ rerank }) => question(rerank.model),
  error: ({ rerank }) => rerankVendor(rerank).error,
}

/** Responses that would assign scores to the wrong documents. */
export const brokenRankingCheck: Check<RerankTarget> = {
  name: 'rejects responses that rank unknown documents',
  async run({ harness, rerank }) {
    const { write } = rerankVendor(rerank)
    const findings: string[] = []
    for (const [what, indices] of BROKEN) {
      const results = indices.map((index) => ({ index, score: 0.5 }))
      harness.upstream.answer((request) => ({
        kind: 'whole',
        body: write({ results, tokens: 1, searches: 1 }, request),
      }))
      const got = await harness.ask(question(rerank.model))
      if (got.status !== 500) findings.push(`For a response with ${what}, callers get ${said(got)} Expected: 500.`)
    }
    harness.upstream.answer({ kind: 'whole', body: {} })
    const got = await harness.ask(question(rerank.model))
    if (got.status !== 500)
      findings.push(`For an empty response, callers get ${said(got)} Expected: 500;  \`rerank.response\` must throw.`)
    return findings
  },
}

const BROKEN: readonly (readonly [what: string, indices: readonly number[]])[] = [
  ['an unknown document', [0, 1, 2, 99]],
  ['a duplicate document', [0, 1, 1, 2]],
  ['one document too few', [0, 1]],
]
