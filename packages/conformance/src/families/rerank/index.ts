import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { errorsCheck, secrecyCheck } from '../../failures/family-checks.ts'
import { secretsOf } from '../../place.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { brokenRankingCheck, FAILING_RERANK } from './failures.ts'
import { mostCheck, rankingCheck, rerankReachCheck, topCheck } from './ranking.ts'
import type { RerankTarget } from './target.ts'

/** Reranking. */
export const rerank: FamilyKit = {
  id: 'rerank',
  fact: {
    name: 'rerank',
    isGiven: ({ rerank }) => rerank !== undefined,
    has: ({ rerank }) => rerank !== undefined,
  },
  checks: rerankChecks,
  asks({ rerank }, facts) {
    const model = facts.rerank?.model ?? facts.model ?? ''
    const exchange = rerank && 'request' in rerank ? rerank : undefined
    const input = { model, query: 'What?', documents: ['A text.'] }
    return [{ member: 'rerank.request', make: () => exchange?.request(input, testCall({ model })) }]
  },
}

function rerankChecks({ upstream, rerank }: ProviderFacts<unknown>): Check[] {
  if (!rerank) return []
  if (!upstream) throw new TypeError('The facts have `rerank`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<RerankTarget>[] = [
    rerankReachCheck,
    rankingCheck,
    topCheck,
    mostCheck,
    errorsCheck(FAILING_RERANK),
    brokenRankingCheck,
    ...(secrets.length > 0 ? [secrecyCheck(FAILING_RERANK, secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, rerank })))
}
