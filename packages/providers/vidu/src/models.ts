import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

const WIDE = ['16:9', '9:16', '1:1', '4:3', '3:4', 'adaptive']
const THREE = ['16:9', '9:16', '1:1', 'adaptive']
/** 540p is used for 480p. */
const ALL = ['480p', '720p', '1080p']
const HD = ['720p', '1080p']

const base = {
  text: false,
  images: 0,
  videos: 0,
  audios: 0,
  ownDuration: false,
  ratios: THREE,
  seed: true,
  watermark: true,
  cameraFixed: false,
  user: false,
} as const
const q3 = { ...base, durations: { min: 1, max: 16 }, resolutions: ALL, audio: 'asked' } as const
const q2 = { ...base, durations: { min: 1, max: 10 }, resolutions: ALL } as const

// biome-ignore format: one line a model
export const models: Readonly<Record<string, VideoCapabilities>> = {
  'viduq3-pro': { ...q3, text: true, frames: 'first-and-last', ratios: WIDE },
  'viduq3-turbo': { ...q3, text: true, frames: 'first-and-last', ratios: WIDE },
  'viduq3-pro-fast': { ...q3, frames: 'first', resolutions: HD },
  viduq3: { ...q3, frames: 'none', images: 7, durations: { min: 3, max: 16 } },
  'viduq3-mix': { ...q3, frames: 'none', images: 7, durations: { min: 3, max: 16 }, resolutions: HD },
  viduq2: { ...q2, text: true, frames: 'none', images: 7, ratios: WIDE, audio: 'never' },
  'viduq2-pro': { ...q2, frames: 'first-and-last', images: 7, videos: 2, ratios: WIDE, audio: 'asked' },
  'viduq2-turbo': { ...q2, frames: 'first-and-last', audio: 'asked' },
  'viduq2-pro-fast': { ...q2, frames: 'first-and-last', resolutions: HD, audio: 'asked' },
  viduq1: { ...base, text: true, frames: 'first-and-last', images: 7, durations: [5], resolutions: ['1080p'], audio: 'never' },
  'vidu2.0': { ...base, frames: 'first-and-last', images: 7, durations: [4, 8], resolutions: ['720p'], audio: 'never' },
}

export const known: readonly ModelFacts[] = Object.keys(models).map((id) => ({ id, families: ['video'] }))
