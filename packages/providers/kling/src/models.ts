import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

export interface KlingModel extends VideoCapabilities {
  /** Uses a single endpoint, with images and videos in lists. */
  readonly isOmni?: true
  /** Abilities that only the professional mode has. It creates 1080p. */
  readonly proOnly?: readonly ('lastFrame' | 'audio')[]
  /** The model has one mode, which the request does not name. */
  readonly hasNoMode?: true
}

const SHORT = [5, 10]
const LONG = { min: 3, max: 15 }
const base = {
  ownDuration: false,
  ratios: ['16:9', '9:16', '1:1', 'adaptive'],
  seed: false,
  watermark: true,
  cameraFixed: false,
  user: false,
} as const
const classic = {
  ...base,
  text: true,
  frames: 'first-and-last',
  images: 0,
  videos: 0,
  audios: 0,
  durations: SHORT,
  resolutions: ['720p', '1080p'],
  audio: 'never',
} as const
const omni = { ...base, isOmni: true, text: true, frames: 'first-and-last', images: 7, videos: 1, audios: 0 } as const

// biome-ignore format: one line a model
export const models: Readonly<Record<string, KlingModel>> = {
  'kling-v3': { ...classic, durations: LONG, resolutions: ['720p', '1080p', '4k'], audio: 'asked' },
  'kling-v3-omni': { ...omni, durations: LONG, resolutions: ['720p', '1080p', '4k'], audio: 'asked' },
  'kling-video-o1': { ...omni, durations: SHORT, resolutions: ['720p', '1080p'], audio: 'never' },
  'kling-v2-6': { ...classic, audio: 'asked', proOnly: ['lastFrame', 'audio'] },
  'kling-v2-5-turbo': { ...classic, proOnly: ['lastFrame'] },
  'kling-v2-1': { ...classic, text: false, proOnly: ['lastFrame'] },
  'kling-v2-1-master': { ...classic, frames: 'first', resolutions: ['1080p'], hasNoMode: true },
  'kling-v2-master': { ...classic, frames: 'first', resolutions: ['720p'], hasNoMode: true },
  'kling-v1-6': { ...classic, images: 4, proOnly: ['lastFrame'] },
}

export const known: readonly ModelFacts[] = Object.keys(models).map((id) => ({ id, families: ['video'] }))
