import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/** @see https://www.volcengine.com/docs/82379/1520757, read in November 2026 */
const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive']
const UP_TO_1080 = ['480p', '720p', '1080p']

const any: VideoCapabilities = { text: true, frames: 'first-and-last', watermark: true, user: true }
const first: VideoCapabilities = {
  ...any,
  images: 0,
  videos: 0,
  audios: 0,
  durations: { min: 2, max: 12 },
  ownDuration: false,
  resolutions: UP_TO_1080,
  seed: true,
  audio: 'never',
  cameraFixed: true,
}
const second: VideoCapabilities = {
  ...any,
  images: 9,
  videos: 3,
  audios: 3,
  durations: { min: 4, max: 15 },
  ownDuration: true,
  ratios: RATIOS,
  resolutions: [...UP_TO_1080, '4k'],
  seed: true,
  audio: 'asked',
  cameraFixed: false,
}

/**
 * Abilities by model name without vendor and date; the first matching beginning applies. Undocumented abilities are
 * omitted.
 */
const ABILITIES: readonly (readonly [string, VideoCapabilities])[] = [
  // The numbers of videos and sounds, and support for a seed, are not documented.
  [
    'seedance-2-5',
    {
      ...any,
      images: 30,
      durations: { min: 4, max: 30 },
      ownDuration: true,
      ratios: RATIOS,
      resolutions: UP_TO_1080,
      audio: 'asked',
      cameraFixed: false,
    },
  ],
  ['seedance-2-0-fast', { ...second, resolutions: ['480p', '720p'] }],
  ['seedance-2-0-mini', { ...second, resolutions: ['480p', '720p'] }],
  ['seedance-2-0', second],
  ['seedance-1-5-pro', { ...first, durations: { min: 4, max: 12 }, ownDuration: true, ratios: RATIOS, audio: 'asked' }],
  ['seedance-1-0-pro-fast', { ...first, frames: 'first', ratios: RATIOS }],
  ['seedance-1-0-pro', { ...first, ratios: RATIOS }],
  ['seedance-1-0-lite-t2v', { ...first, frames: 'none' }],
  ['seedance-1-0-lite-i2v', { ...first, text: false, images: 4 }],
]

/** Abilities of a Seedance model. Unknown for the id of an endpoint (`ep-…`). */
export function abilities(model: string): VideoCapabilities {
  const name = seedance(model)
  return ABILITIES.find(([start]) => name?.startsWith(start))?.[1] ?? {}
}

/** Model name without its prefix: `doubao-`, `dreamina-`. */
export function seedance(model: string): string | undefined {
  return /^(?:(?:doubao|dreamina)-)?(seedance-.*)$/.exec(model)?.[1]
}

const SNAPSHOTS = ['2-5-260628', '2-0-260128', '2-0-fast-260128', '2-0-mini-260615']
const OLDER = ['1-5-pro-251215', '1-0-pro-250528', '1-0-pro-fast-251015', '1-0-lite-t2v-250428', '1-0-lite-i2v-250428']

/** Models with the names of one of the two sites. */
export function models(isBytePlus: boolean): readonly ModelFacts[] {
  const [brand, older] = isBytePlus ? ['dreamina-', ''] : ['doubao-', 'doubao-']
  const ids = [
    ...SNAPSHOTS.map((name) => `${brand}seedance-${name}`),
    ...OLDER.map((name) => `${older}seedance-${name}`),
  ]
  return ids.map((id) => ({ id, families: ['video'] }))
}
