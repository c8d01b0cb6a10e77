import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/**
 * Abilities of all models.
 *
 * @see https://www.alibabacloud.com/help/en/model-studio/use-video-generation, read in November 2026
 */
const any: VideoCapabilities = {
  text: false,
  frames: 'none',
  images: 0,
  videos: 0,
  audios: 0,
  ownDuration: false,
  seed: true,
  watermark: true,
  cameraFixed: false,
  user: false,
}
const SHAPES = ['16:9', '9:16', '1:1', '4:3', '3:4']
const HD = ['720p', '1080p']
const ALL = ['480p', '720p', '1080p']

const wan3: VideoCapabilities = {
  ...any,
  text: true,
  frames: 'first-and-last',
  images: 10,
  videos: 5,
  audios: 5,
  takes: 'url',
  durations: { min: 2, max: 30 },
  ownDuration: true,
  ratios: [...SHAPES, 'adaptive'],
  resolutions: ALL,
  audio: 'asked',
}
/** Text input, and sound that drives the video. */
const text: VideoCapabilities = {
  ...any,
  text: true,
  audios: 1,
  durations: { min: 2, max: 15 },
  ratios: SHAPES,
  resolutions: HD,
  audio: 'always',
}
/** Frame input. The video has the ratio of the frame. */
const image: VideoCapabilities = {
  ...any,
  frames: 'first',
  durations: { min: 2, max: 15 },
  ratios: ['adaptive'],
  resolutions: HD,
  audio: 'always',
}
const reference: VideoCapabilities = {
  ...any,
  images: 5,
  videos: 5,
  durations: { min: 2, max: 15 },
  ratios: SHAPES,
  resolutions: HD,
  audio: 'always',
}
const short = { durations: [5, 10], resolutions: ALL }
const silent = { durations: [5], audios: 0, audio: 'never' } as const

/** Abilities by the beginning of the model's name; the first match applies. Undocumented abilities are omitted. */
const ABILITIES: readonly (readonly [string, VideoCapabilities])[] = [
  ['wan3.0-video', wan3],
  ['wan2.7-t2v', text],
  ['wan2.7-i2v', { ...image, frames: 'first-and-last' }],
  ['wan2.7-r2v', reference],
  ['wan2.6-t2v', text],
  ['wan2.6-i2v-flash', { ...image, audio: 'asked' }],
  ['wan2.6-i2v', image],
  ['wan2.6-r2v-flash', { ...reference, durations: { min: 2, max: 10 }, videos: 3, audio: 'asked' }],
  ['wan2.6-r2v', { ...reference, durations: { min: 2, max: 10 }, videos: 3 }],
  ['wan2.5-t2v', { ...text, ...short }],
  ['wan2.5-i2v', { ...image, ...short }],
  ['wan2.2-t2v', { ...text, ...silent, resolutions: ['480p', '1080p'] }],
  ['wan2.2-i2v-flash', { ...image, ...silent, resolutions: ALL }],
  ['wan2.2-i2v', { ...image, ...silent, resolutions: ['480p', '1080p'] }],
  ['wan2.2-kf2v', { ...image, ...silent, frames: 'first-and-last', resolutions: ALL }],
]

export function abilities(model: string): VideoCapabilities {
  return ABILITIES.find(([start]) => model.startsWith(start))?.[1] ?? {}
}

/** Sizes in pixels, for models without a ratio, in the order of the shapes. */
const SIZES: Readonly<Record<string, readonly string[]>> = {
  '480p': ['832*480', '480*832', '624*624'],
  '720p': ['1280*720', '720*1280', '960*960', '1088*832', '832*1088'],
  '1080p': ['1920*1080', '1080*1920', '1440*1440', '1632*1248', '1248*1632'],
}

export function sizeOf(resolution: string, ratio: string): string | undefined {
  return Object.hasOwn(SIZES, resolution) ? SIZES[resolution]?.[SHAPES.indexOf(ratio)] : undefined
}

const IDS = [
  'wan3.0-video',
  'wan3.0-video-prime',
  'wan2.7-t2v',
  'wan2.7-i2v',
  'wan2.7-r2v',
  'wan2.6-t2v',
  'wan2.6-i2v',
  'wan2.6-i2v-flash',
]
const OLDER = [
  'wan2.6-r2v',
  'wan2.6-r2v-flash',
  'wan2.5-t2v-preview',
  'wan2.5-i2v-preview',
  'wan2.2-t2v-plus',
  'wan2.2-i2v-plus',
]
const FLASH = ['wan2.2-i2v-flash', 'wan2.2-kf2v-flash']

export const models: readonly ModelFacts[] = [...IDS, ...OLDER, ...FLASH].map((id) => ({ id, families: ['video'] }))
