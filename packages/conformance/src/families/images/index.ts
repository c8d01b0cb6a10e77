import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { errorsCheck, secrecyCheck } from '../../failures/family-checks.ts'
import { secretsOf } from '../../place.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { countCheck, drawingCheck, imagesReachCheck, imagesUsageCheck } from './drawing.ts'
import { editCheck } from './edits.ts'
import { FAILING_IMAGES, noImageCheck } from './failures.ts'
import { optionsCheck, sizeCheck } from './options.ts'
import type { ImagesTarget } from './target.ts'

/** Images. */
export const images: FamilyKit = {
  id: 'images',
  fact: {
    name: 'images',
    isGiven: ({ images: facts }) => facts !== undefined,
    has: ({ images: support }) => support !== undefined,
  },
  checks: imagesChecks,
  asks({ images: support }, { images: facts }) {
    const model = facts?.model ?? ''
    const input = { model, prompt: 'A cat.', n: 1, images: [], more: {} }
    return [
      { member: 'images.request', make: () => (facts ? support?.request(input, testCall({ model })) : undefined) },
    ]
  },
}

function imagesChecks({ upstream, images: facts }: ProviderFacts<unknown>): Check[] {
  if (!facts) return []
  if (!upstream) throw new TypeError('The facts have `images`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<ImagesTarget>[] = [
    imagesReachCheck,
    drawingCheck,
    countCheck,
    optionsCheck,
    sizeCheck,
    editCheck,
    imagesUsageCheck,
    errorsCheck(FAILING_IMAGES),
    noImageCheck,
    ...(secrets.length > 0 ? [secrecyCheck(FAILING_IMAGES, secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, images: facts })))
}
