import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { errorsCheck, secrecyCheck } from '../../failures/family-checks.ts'
import { secretsOf } from '../../place.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { brokenModerationsCheck, FAILING_MODERATIONS } from './failures.ts'
import { imagesCheck, moderationsReachCheck, otherModelCheck, resultsCheck, topicsCheck } from './results.ts'
import type { ModerationsTarget } from './target.ts'

/** Moderations. */
export const moderations: FamilyKit = {
  id: 'moderations',
  fact: {
    name: 'moderations',
    isGiven: ({ moderations: facts }) => facts !== undefined,
    has: ({ moderations: support }) => support !== undefined,
  },
  checks: moderationsChecks,
  asks({ moderations: support }, facts) {
    const model = facts.moderations?.model ?? facts.model ?? ''
    const exchange = support && 'request' in support ? support : undefined
    const input = { model, inputs: [[{ type: 'text', text: 'A text.' }]] } as const
    return [{ member: 'moderations.request', make: () => exchange?.request(input, testCall({ model })) }]
  },
}

function moderationsChecks({ upstream, moderations: facts }: ProviderFacts<unknown>): Check[] {
  if (!facts) return []
  if (!upstream) throw new TypeError('The facts have `moderations`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<ModerationsTarget>[] = [
    moderationsReachCheck,
    resultsCheck,
    topicsCheck,
    imagesCheck,
    otherModelCheck,
    errorsCheck(FAILING_MODERATIONS),
    brokenModerationsCheck,
    ...(secrets.length > 0 ? [secrecyCheck(FAILING_MODERATIONS, secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, moderations: facts })))
}
