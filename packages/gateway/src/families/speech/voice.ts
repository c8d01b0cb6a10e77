import type { SpeechAbilities } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { Voices } from '../../ports/voices.ts'
import type { SpeechInput } from './wire.ts'

/** Maximum number of voices in a message. */
const NAMED = 60

/** Voice of a provider. */
export interface ChosenVoice {
  /** The provider's name. */
  readonly voice: string
  /** True if another voice than the caller's was chosen, which is a loss unless the configuration names it. */
  readonly isReplaced: boolean
}

/**
 * Voice of a provider for the caller's: from the configuration, else the provider's voice of that name, else the voice that
 * its adapter names for OpenAI's.
 * @throws HeadgateError with the voices of the model, if it does not have the voice
 */
export function voiceFor(
  { voice, isVoiceId }: Pick<SpeechInput, 'voice' | 'isVoiceId'>,
  { voices, voiceNames = {} }: SpeechAbilities,
  { configured, provider, model }: { readonly configured: Voices; readonly provider: string; readonly model: string },
): ChosenVoice {
  const own = Object.hasOwn(configured, voice) && !isVoiceId ? configured[voice] : undefined
  if (own && Object.hasOwn(own, provider)) return { voice: own[provider] ?? voice, isReplaced: false }
  if (!isVoiceId && Object.hasOwn(voiceNames, voice.toLowerCase()) && !voices?.includes(voice))
    return { voice: voiceNames[voice.toLowerCase()] ?? voice, isReplaced: true }
  if (!voices || voices.includes(voice)) return { voice, isReplaced: false }
  const alike = voices.find((one) => one.toLowerCase() === voice.toLowerCase())
  if (alike !== undefined) return { voice: alike, isReplaced: false }
  const named = voices.slice(0, NAMED).join(', ')
  const more = voices.length > NAMED ? `, and ${voices.length - NAMED} more` : ''
  throw invalid('voice', `The model ${model} has no voice "${voice.slice(0, 64)}". Its voices: ${named}${more}.`)
}
