import type { ModelFacts } from '@headgate/core/provider'

/** Voices of Kokoro by OpenAI's names. Kokoro has voices with the same names. */
export const KOKORO_NAMES: Readonly<Record<string, string>> = {
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

/** Voices of Orpheus by OpenAI's names. */
export const ORPHEUS_NAMES: Readonly<Record<string, string>> = {
  alloy: 'tara',
  ash: 'leo',
  ballad: 'dan',
  cedar: 'zac',
  coral: 'leah',
  echo: 'dan',
  fable: 'zac',
  marin: 'tara',
  nova: 'jess',
  onyx: 'leo',
  sage: 'mia',
  shimmer: 'zoe',
  verse: 'dan',
}

/** Speech models. Their prices are not known here. */
export const speakers: readonly ModelFacts[] = [
  { id: 'canopylabs/orpheus-3b-0.1-ft', families: ['speech'] },
  { id: 'hexgrad/Kokoro-82M', families: ['speech'] },
  { id: 'cartesia/sonic-2', families: ['speech'] },
  { id: 'cartesia/sonic', families: ['speech'] },
]
