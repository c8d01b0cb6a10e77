import type { VideoCapabilities, VideoInputNames } from '@headgate/core/provider'

/** Official model with its abilities, and its inputs with unusual names. */
export interface ReplicateModel {
  readonly id: string
  readonly names?: VideoInputNames
  readonly can: VideoCapabilities
}

const WIDE = ['16:9', '9:16'] as const
const ALL = [...WIDE, '4:3', '1:1', '3:4', '21:9'] as const
const NONE = { images: 0, videos: 0, audios: 0 } as const
const COMMON = { text: true, ownDuration: false, watermark: false, cameraFixed: false, user: false } as const

const seedance2 = {
  ...COMMON,
  frames: 'first-and-last',
  images: 9,
  videos: 3,
  audios: 3,
  durations: { min: 4, max: 15 },
  ownDuration: true,
  ratios: [...ALL, 'adaptive'],
  resolutions: ['480p', '720p'],
  seed: true,
  audio: 'asked',
} as const satisfies VideoCapabilities
const seedance1 = {
  ...COMMON,
  ...NONE,
  frames: 'first-and-last',
  durations: { min: 2, max: 12 },
  ratios: [...ALL, '9:21'],
  cameraFixed: true,
  resolutions: ['480p', '720p', '1080p'],
  seed: true,
  audio: 'never',
} as const satisfies VideoCapabilities

const veoNames = { lastFrame: 'last_frame', cameraFixed: null } as const
const veo = {
  ...COMMON,
  ...NONE,
  frames: 'first-and-last',
  durations: [4, 6, 8],
  ratios: WIDE,
  resolutions: ['720p', '1080p'],
  seed: true,
  audio: 'asked',
} as const satisfies VideoCapabilities

const klingNames = {
  firstFrame: 'start_image',
  lastFrame: 'end_image',
  seed: null,
  audio: null,
  resolution: null,
  cameraFixed: null,
} as const
const kling = {
  ...COMMON,
  ...NONE,
  frames: 'first-and-last',
  durations: [5, 10],
  ratios: [...WIDE, '1:1'],
  resolutions: [],
  seed: false,
  audio: 'never',
} as const satisfies VideoCapabilities

/**
 * Inputs and limits from the schemas of the versions on Replicate's model pages:
 * https://replicate.com/bytedance/seedance-2.0/versions/d456b64a60da3903c3692f7128d491004d021bbc2e1e19c63bccb117d3f4ab7b/api,
 * …/seedance-1-lite/versions/f22bbc7d…, https://replicate.com/google/veo-3.1/versions/ed5b1767…,
 * https://replicate.com/kwaivgi/kling-v2.5-turbo-pro/versions/18f41bfc…, …/kling-v2.1-master/versions/41625bc1….
 */
export const models: readonly ReplicateModel[] = [
  { id: 'bytedance/seedance-2.0', names: { cameraFixed: null }, can: seedance2 },
  { id: 'bytedance/seedance-2.0-fast', names: { cameraFixed: null }, can: seedance2 },
  { id: 'bytedance/seedance-1-lite', names: { audio: null }, can: { ...seedance1, images: 4 } },
  { id: 'google/veo-3.1', names: veoNames, can: { ...veo, images: 3 } },
  { id: 'google/veo-3.1-fast', names: veoNames, can: veo },
  { id: 'kwaivgi/kling-v2.5-turbo-pro', names: klingNames, can: kling },
  { id: 'kwaivgi/kling-v2.1-master', names: klingNames, can: { ...kling, frames: 'first' } },
]
