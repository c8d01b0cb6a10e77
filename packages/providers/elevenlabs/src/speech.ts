import { number, type SpeechAbilities, type SpeechRequest, type SpeechSupport } from '@headgate/core/provider'
import { LIMITS, NAMES } from './speech-models.ts'

/** Values of `output_format`. */
const FORMATS = { mp3: 'mp3_44100_128', opus: 'opus_48000_128', pcm: 'pcm_24000' } as const

/**
 * Speech. A voice is an id, which is part of the path. Flash models bill half a character per character.
 * @see https://elevenlabs.io/docs/api-reference/text-to-speech/stream
 */
export const speech: SpeechSupport = {
  can(model): SpeechAbilities {
    const maxCharacters = LIMITS.find(([name]) => name.test(model))?.[1]
    return { voiceNames: NAMES, formats: ['mp3', 'opus', 'pcm'], speed: [0.7, 1.2], maxCharacters }
  },
  request: (input) => ({
    method: 'POST',
    url: `/v1/text-to-speech/${encodeURIComponent(input.voice)}/stream?output_format=${formatOf(input)}`,
    body: { json: bodyOf(input) },
  }),
  usageOf({ headers }) {
    const characters = number(Number(headers['character-cost'] ?? Number.NaN))
    return characters === undefined ? undefined : { input: 0, output: 0, units: { characters } }
  },
}

function formatOf({ format }: SpeechRequest): string {
  return FORMATS[format as keyof typeof FORMATS]
}

function bodyOf({ model, input, speed }: SpeechRequest): object {
  return { text: input, model_id: model, ...(speed !== undefined && { voice_settings: { speed } }) }
}
