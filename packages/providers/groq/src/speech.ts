import type { ModelFacts, SpeechAbilities, SpeechOptions } from '@headgate/core/provider'

const ENGLISH = ['autumn', 'diana', 'hannah', 'austin', 'daniel', 'troy']
const ARABIC = ['abdullah', 'fahad', 'sultan', 'lulwa', 'noura', 'aisha']

/** Names of OpenAI's voices, for a list of lower and higher voices. */
function namesFor(low: readonly [string, string], high: readonly [string, string]): Record<string, string> {
  const [ash, echo] = low
  const [alloy, nova] = high
  const lower = { ash, ballad: echo, echo, fable: echo, onyx: ash, verse: ash, cedar: echo }
  return { ...lower, alloy, coral: nova, nova, sage: alloy, shimmer: nova, marin: alloy }
}

/**
 * Speech of Orpheus: WAV files, at most 200 characters.
 * @see https://console.groq.com/docs/text-to-speech/orpheus
 */
export const speech: SpeechOptions = {
  can(model): SpeechAbilities {
    const isArabic = model.includes('arabic')
    return {
      voices: isArabic ? ARABIC : ENGLISH,
      voiceNames: isArabic
        ? namesFor(['fahad', 'sultan'], ['lulwa', 'noura'])
        : namesFor(['troy', 'austin'], ['hannah', 'diana']),
      formats: ['wav'],
      speed: [0.5, 5],
      maxCharacters: 200,
    }
  },
}

/** Models. Their prices are not known here. */
export const speakers: readonly ModelFacts[] = [
  { id: 'canopylabs/orpheus-v1-english', families: ['speech'] },
  { id: 'canopylabs/orpheus-arabic-saudi', families: ['speech'] },
]
