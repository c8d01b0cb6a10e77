import { number, type SpeechAbilities, type SpeechFormat, type SpeechSupport } from '@headgate/core/provider'
import { NAMES } from './speech-models.ts'

/** Query parameters of the formats. All have 24 kHz where the rate can be chosen. */
const FORMATS: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'encoding=mp3',
  opus: 'encoding=opus&container=ogg',
  aac: 'encoding=aac',
  flac: 'encoding=flac&sample_rate=24000',
  wav: 'encoding=linear16&container=wav&sample_rate=24000',
  pcm: 'encoding=linear16&container=none&sample_rate=24000',
}

/** Model that names its voice, such as `aura-2-thalia-en`. */
const WHOLE = /^(aura(?:-2)?)-([a-z]+-[a-z]{2})$/

/**
 * Speech of Aura. Deepgram's models are voices: the model `aura-2` with the voice `thalia-en` is `aura-2-thalia-en`,
 * which is a model with one voice as well.
 * @see https://developers.deepgram.com/reference/text-to-speech/speak-request
 */
export const speech: SpeechSupport = {
  can(model): SpeechAbilities {
    const [, , only] = WHOLE.exec(model) ?? []
    return {
      ...(only !== undefined && { voices: [only] }),
      voiceNames: only === undefined ? NAMES : Object.fromEntries(Object.keys(NAMES).map((name) => [name, only])),
      formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
      speed: [0.7, 1.5],
      maxCharacters: 2_000,
    }
  },
  request({ model, input, voice, format, speed }) {
    const [, family = model] = WHOLE.exec(model) ?? []
    const name = /-[a-z]{2}$/.test(voice) ? voice : `${voice}-en`
    const query = `model=${encodeURIComponent(`${family}-${name}`)}&${FORMATS[format]}`
    const rate = speed === undefined ? '' : `&speed=${speed}`
    return { method: 'POST', url: `/v1/speak?${query}${rate}`, body: { json: { text: input } } }
  },
  usageOf({ headers }) {
    const characters = number(Number(headers['dg-char-count'] ?? Number.NaN))
    return characters === undefined ? undefined : { input: 0, output: 0, units: { characters } }
  },
}
