import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { errorsCheck, secrecyCheck } from '../../failures/family-checks.ts'
import { secretsOf } from '../../place.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { cutCheck, FAILING_SPEECH } from './failures.ts'
import { derivedCheck, eventsCheck, soundCheck, speechReachCheck, speechUsageCheck } from './sound.ts'
import type { SpeechTarget } from './target.ts'
import { lengthCheck, speedCheck, voiceCheck } from './values.ts'

/** Speech. */
export const speech: FamilyKit = {
  id: 'speech',
  fact: {
    name: 'speech',
    isGiven: ({ speech: facts }) => facts !== undefined,
    has: ({ speech: support }) => support !== undefined,
  },
  checks: speechChecks,
  asks({ speech: support }, { speech: facts }) {
    const { model = '', voice = 'alloy', formats: [format = 'mp3'] = [] } = facts ?? {}
    const input = { model, voice, input: 'A text.', format }
    return [{ member: 'speech.request', make: () => support?.request(input, testCall({ model })) }]
  },
}

function speechChecks({ upstream, speech: facts }: ProviderFacts<unknown>): Check[] {
  if (!facts) return []
  if (!upstream) throw new TypeError('The facts have `speech`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<SpeechTarget>[] = [
    speechReachCheck,
    soundCheck,
    derivedCheck,
    eventsCheck,
    speechUsageCheck,
    voiceCheck,
    lengthCheck,
    speedCheck,
    errorsCheck(FAILING_SPEECH),
    cutCheck,
    ...(secrets.length > 0 ? [secrecyCheck(FAILING_SPEECH, secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, speech: facts })))
}
