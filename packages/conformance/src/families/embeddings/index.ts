import { type Check, over } from '../../checks/check.ts'
import { leaseCheck } from '../../checks/lease.ts'
import type { ProviderFacts } from '../../facts.ts'
import { secretsOf, signatureOf } from '../../place.ts'
import { isNew, type TestScope } from '../../scope.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { embeddingsCallers } from './callers.ts'
import { batchCheck } from './checks/batch.ts'
import {
  brokenAnswersCheck,
  embeddingsAbortCheck,
  embeddingsErrorsCheck,
  embeddingsSecrecyCheck,
} from './checks/failures.ts'
import { optionsCheck } from './checks/options.ts'
import { ownAbortCheck, ownTokensCheck, ownVectorsCheck } from './checks/own.ts'
import { tokensCheck } from './checks/tokens.ts'
import { embeddingsReachCheck, vectorsCheck } from './checks/vectors.ts'
import type { EmbeddingsTarget, InProcessEmbeddingsTarget } from './target.ts'

/** Embeddings. */
export const embeddings: FamilyKit = {
  id: 'embeddings',
  fact: {
    name: 'embeddings',
    isGiven: ({ embeddings }) => embeddings !== undefined,
    has: ({ embeddings }) => embeddings !== undefined,
  },
  checks: embeddingsChecks,
  asks({ embeddings }, facts) {
    const model = facts.embeddings?.model ?? facts.model ?? ''
    const exchange = embeddings && 'request' in embeddings ? embeddings : undefined
    const input = { model, inputs: ['A text.'], encoding: 'float' } as const
    return [{ member: 'embeddings.request', make: () => exchange?.request(input, testCall({ model })) }]
  },
}

/** Checks of a provider's embeddings. */
function embeddingsChecks({ upstream, embeddings }: ProviderFacts<unknown>, scope: TestScope): Check[] {
  if (!embeddings || (!isNew(embeddings) && scope === 'short')) return []
  if (!upstream) {
    const own: Check<InProcessEmbeddingsTarget>[] = [
      ...embeddingsCallers.map(ownVectorsCheck),
      ownTokensCheck,
      ownAbortCheck,
    ]
    return own.map((check) => over(check, (target) => ({ ...target, embeddings })))
  }
  if (embeddings.path === undefined)
    throw new TypeError('The facts have an `upstream`, but no `embeddings.path`: add the path of its requests.')
  const secrets = secretsOf(upstream)
  const remote: Check<EmbeddingsTarget>[] = [
    embeddingsReachCheck,
    ...embeddingsCallers.map(vectorsCheck),
    ...embeddingsCallers.map(optionsCheck),
    batchCheck,
    tokensCheck,
    ...(signatureOf(upstream)?.issue
      ? [leaseCheck((harness) => harness.ask(embeddingsCallers[0].ask(embeddings.model, ['a text'], {})))]
      : []),
    embeddingsErrorsCheck,
    brokenAnswersCheck,
    embeddingsAbortCheck,
    ...(secrets.length > 0 ? [embeddingsSecrecyCheck(secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, embeddings })))
}
