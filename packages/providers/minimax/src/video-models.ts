import type { Call, ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/**
 * Abilities of all models.
 *
 * @see https://platform.minimax.io/docs/guides/video-generation, read in November 2026
 */
const any: VideoCapabilities = { ownDuration: false, seed: false, watermark: true, cameraFixed: false, user: false }
const h3: VideoCapabilities = {
  ...any,
  text: true,
  frames: 'first-or-last',
  images: 9,
  videos: 3,
  audios: 3,
  durations: { min: 4, max: 15 },
  ratios: ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16', 'adaptive'],
  resolutions: ['720p', '1080p'],
  audio: 'always',
}
/** Videos without sound, in 16:9 or in the ratio of the first frame. */
const hailuo: VideoCapabilities = {
  ...any,
  text: true,
  frames: 'first',
  images: 0,
  videos: 0,
  audios: 0,
  durations: [6, 10],
  ratios: ['16:9', 'adaptive'],
  resolutions: ['720p', '1080p'],
  audio: 'never',
}
const oldest: VideoCapabilities = { ...hailuo, durations: [6], resolutions: ['720p'] }

/** Abilities by the beginning of the model's name; the first match applies. */
const ABILITIES: readonly (readonly [string, VideoCapabilities])[] = [
  ['MiniMax-H3-Max', { ...h3, durations: { min: 5, max: 15 }, resolutions: ['480p', '720p'] }],
  ['MiniMax-H3', h3],
  ['MiniMax-Hailuo-2.3-Fast', { ...hailuo, text: false }],
  ['MiniMax-Hailuo-2.3', hailuo],
  ['MiniMax-Hailuo-02', { ...hailuo, frames: 'first-and-last', resolutions: ['480p', '720p', '1080p'] }],
  ['T2V-01', { ...oldest, frames: 'none' }],
  ['I2V-01', { ...oldest, text: false }],
  ['S2V-01', { ...oldest, text: false, frames: 'none', images: 1 }],
]

export function abilities(model: string): VideoCapabilities {
  return ABILITIES.find(([start]) => model.startsWith(start))?.[1] ?? {}
}

/** Tells if a model uses the second version of the API. */
export function isSecond(model: string): boolean {
  return model.startsWith('MiniMax-H') && !model.startsWith('MiniMax-Hailuo')
}

const SIZES: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/^MiniMax-Hailuo/, { '480p': '512P', '720p': '768P' }],
  [/^MiniMax-H/, { '720p': '768P', '1080p': '2K' }],
]

/** The vendor's name of a resolution. If the model lacks the resolution, the next higher one is used and declared. */
export function sizeOf(model: string, resolution: string, call: Call | undefined): string {
  const same = resolution.toUpperCase()
  const word = SIZES.find(([name]) => name.test(model))?.[1][resolution] ?? same
  if (word !== same) call?.lose('resolution', `replaced by the next resolution, ${word}`, 'changed')
  return word
}

const IDS = ['MiniMax-H3', 'MiniMax-H3-Max', 'MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-2.3-Fast', 'MiniMax-Hailuo-02']
const OLDER = ['T2V-01', 'T2V-01-Director', 'I2V-01', 'I2V-01-Director', 'I2V-01-live', 'S2V-01']

export const models: readonly ModelFacts[] = [...IDS, ...OLDER].map((id) => ({ id, families: ['video'] }))
