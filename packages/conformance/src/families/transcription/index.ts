import { type Check, over } from '../../checks/check.ts'
import type { ProviderFacts } from '../../facts.ts'
import { errorsCheck, secrecyCheck } from '../../failures/family-checks.ts'
import { secretsOf } from '../../place.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { abilitiesCheck, optionsCheck } from './abilities.ts'
import { brokenTranscriptCheck, FAILING_TRANSCRIPTION } from './failures.ts'
import { FILE_TYPE, FILENAME, RECORDING } from './recording.ts'
import type { TranscriptionTarget } from './target.ts'
import { fileCheck, speakersCheck, timesCheck, transcriptCheck, transcriptReachCheck } from './transcript.ts'

/** Transcription. */
export const transcription: FamilyKit = {
  id: 'transcription',
  fact: {
    name: 'transcription',
    isGiven: ({ transcription: facts }) => facts !== undefined,
    has: ({ transcription: support }) => support !== undefined,
  },
  checks: transcriptionChecks,
  asks({ transcription: support }, facts) {
    const model = facts.transcription?.model ?? ''
    const content = {
      size: RECORDING.length,
      async *read() {
        yield RECORDING
      },
    }
    const input = {
      model,
      file: { name: FILENAME, type: FILE_TYPE, content },
      keywords: [],
      times: 'none',
      speakers: false,
      translates: false,
    } as const
    return [{ member: 'transcription.request', make: () => support?.request(input, testCall({ model })) }]
  },
}

function transcriptionChecks({ upstream, transcription: facts }: ProviderFacts<unknown>): Check[] {
  if (!facts) return []
  if (!upstream) throw new TypeError('The facts have `transcription`, but no `upstream`.')
  const secrets = secretsOf(upstream)
  const remote: Check<TranscriptionTarget>[] = [
    transcriptReachCheck,
    fileCheck,
    transcriptCheck,
    timesCheck,
    speakersCheck,
    optionsCheck,
    abilitiesCheck,
    errorsCheck(FAILING_TRANSCRIPTION),
    brokenTranscriptCheck,
    ...(secrets.length > 0 ? [secrecyCheck(FAILING_TRANSCRIPTION, secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, transcription: facts })))
}
