import { SPEAKER, type SpeechAbilities, type SpeechOptions } from '@headgate/core/provider'

/**
 * Speech of OpenAI's models. Deployments with `tts-1` in their name support neither instructions nor events.
 * @see https://learn.microsoft.com/azure/foundry/openai/latest#create-speech
 */
export const speech: SpeechOptions = {
  can(model): SpeechAbilities {
    const isFirst = /tts-(1|hd)/.test(model)
    return { ...SPEAKER, maxCharacters: 4_096, instructions: !isFirst, sse: /mini-tts/.test(model) }
  },
}
