import type { ModelFacts } from '@headgate/core/provider'

/** Voices of every account by OpenAI's names. */
export const NAMES: Readonly<Record<string, string>> = {
  alloy: 'SAz9YHcvj6GT2YYXdXww',
  ash: 'cjVigY5qzO86Huf0OWal',
  ballad: 'JBFqnCBsd6RMkjVDRZzb',
  cedar: 'nPczCjzI2devNBz1zQrb',
  coral: 'cgSgspJ2msm6clMCkdW9',
  echo: 'TX3LPaxmHKxFdv7VOQHJ',
  fable: 'onwK4e9ZLuTAKqWW03F9',
  marin: 'EXAVITQu4vr4xnSDxMaL',
  nova: 'FGY2WhTYpPnrIDTdsKH5',
  onyx: 'pqHfZKP75CvOlQylNhV4',
  sage: 'XrExE9yKIg1WjnnlVkGX',
  shimmer: 'Xb7hH8MSUJpSbSDYk0k2',
  verse: 'bIHbv24MWmeRgasZH58o',
}

/**
 * Maximum characters of an input by model.
 * @see https://elevenlabs.io/docs/models
 */
export const LIMITS: readonly (readonly [name: RegExp, most: number])[] = [
  [/^eleven_v3/, 5_000],
  [/^eleven_(flash|turbo)_v2_5/, 40_000],
  [/^eleven_(flash|turbo)_v2/, 30_000],
  [/^eleven_multilingual_v2/, 10_000],
]

/** Speech models. Their prices depend on the plan. */
export const speakers: readonly ModelFacts[] = [
  { id: 'eleven_v3', families: ['speech'] },
  { id: 'eleven_multilingual_v2', families: ['speech'] },
  { id: 'eleven_flash_v2_5', families: ['speech'] },
  { id: 'eleven_flash_v2', families: ['speech'] },
  { id: 'eleven_turbo_v2_5', families: ['speech'] },
]
