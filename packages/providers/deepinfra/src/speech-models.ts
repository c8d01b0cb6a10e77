import type { ModelFacts, SpeechAbilities } from '@headgate/core/provider'

/** Voices of Kokoro by OpenAI's names. Kokoro has voices with the same names. */
const KOKORO_NAMES: Readonly<Record<string, string>> = {
  alloy: 'af_alloy',
  ash: 'am_adam',
  ballad: 'bm_george',
  cedar: 'am_michael',
  coral: 'af_bella',
  echo: 'am_echo',
  fable: 'bm_fable',
  marin: 'af_heart',
  nova: 'af_nova',
  onyx: 'am_onyx',
  sage: 'af_kore',
  shimmer: 'af_sky',
  verse: 'am_liam',
}

/** Formats and voices by model. */
export function speechAbilities(model: string): SpeechAbilities {
  return {
    formats: ['mp3', 'opus', 'flac', 'wav', 'pcm'],
    speed: [0.25, 4],
    voiceNames: /kokoro/i.test(model) ? KOKORO_NAMES : undefined,
  }
}

/** Speech models. Their prices are not known here. */
export const speakers: readonly ModelFacts[] = [{ id: 'hexgrad/Kokoro-82M', families: ['speech'] }]
