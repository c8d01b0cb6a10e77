import type { VideoCapabilities, VideoInputNames } from '@headgate/core/provider'
import type { Inputs } from './inputs.ts'

/** Endpoint of a model: its path below the model's id, and the names of inputs that differ from the model's. */
export interface FalEndpoint {
  readonly path: string
  readonly names?: VideoInputNames
}

/** Model with its endpoints, by the inputs of a request. */
export interface FalModel extends Inputs {
  readonly id: string
  readonly text?: FalEndpoint
  readonly first?: FalEndpoint
  /** Default: the endpoint of `first`. */
  readonly both?: FalEndpoint
  readonly references?: FalEndpoint
  readonly can: VideoCapabilities
}

const WIDE = ['16:9', '9:16'] as const
const SQUARE = [...WIDE, '1:1'] as const
const MANY = [...SQUARE, '4:3', '3:4'] as const
const ALL = [...MANY, '21:9'] as const

const NONE = { images: 0, videos: 0, audios: 0 } as const
const TEXT = { path: '/text-to-video' } as const
const IMAGE = { path: '/image-to-video' } as const
/** The video has the ratio of the frame. */
const FRAMED = { path: '/image-to-video', names: { ratio: null } } as const
const REFERENCES = { path: '/reference-to-video' } as const

const seedance2 = { text: TEXT, first: IMAGE, references: REFERENCES, names: { user: 'end_user_id' } } as const
const seedance2Can = {
  text: true,
  frames: 'first-and-last',
  ownDuration: true,
  ratios: [...ALL, 'adaptive'],
  resolutions: ['480p', '720p'],
  seed: true,
  audio: 'asked',
  watermark: false,
  cameraFixed: false,
  user: true,
} as const satisfies VideoCapabilities
const upTo2 = { ...seedance2Can, images: 9, videos: 3, audios: 3, durations: { min: 4, max: 15 } } as const
const seedance1 = { text: TEXT, first: IMAGE, names: { cameraFixed: 'camera_fixed', audio: null } } as const
const seedance1Can = {
  text: true,
  ...NONE,
  durations: { min: 2, max: 12 },
  ownDuration: false,
  ratios: ALL,
  resolutions: ['480p', '720p', '1080p'],
  seed: true,
  audio: 'never',
  watermark: false,
  cameraFixed: true,
  user: false,
} as const satisfies VideoCapabilities

const veo = { text: { path: '' }, first: IMAGE, seconds: 'suffixed' } as const
const veoBoth = {
  path: '/first-last-frame-to-video',
  names: { firstFrame: 'first_frame_url', lastFrame: 'last_frame_url' },
} as const
const veoCan = {
  text: true,
  frames: 'first-and-last',
  ...NONE,
  durations: [4, 6, 8],
  ownDuration: false,
  ratios: WIDE,
  resolutions: ['720p', '1080p'],
  seed: true,
  audio: 'asked',
  watermark: false,
  cameraFixed: false,
  user: false,
} as const satisfies VideoCapabilities

const kling = { text: TEXT, first: FRAMED } as const
const klingCan = {
  text: true,
  frames: 'first-and-last',
  ...NONE,
  durations: [5, 10],
  ownDuration: false,
  ratios: SQUARE,
  resolutions: [],
  seed: false,
  audio: 'asked',
  watermark: false,
  cameraFixed: false,
  user: false,
} as const satisfies VideoCapabilities
const kling3 = { ...kling, names: { firstFrame: 'start_image_url', seed: null, resolution: null } } as const
const kling3Can = { ...klingCan, durations: { min: 3, max: 15 } } as const

const hailuo = { text: TEXT, first: IMAGE, names: { ratio: null, resolution: null, seed: null, audio: null } } as const
const hailuoCan = {
  ...klingCan,
  frames: 'first',
  ratios: [],
  audio: 'never',
  durations: [6, 10],
} as const satisfies VideoCapabilities

/**
 * Inputs and limits of the endpoints, from the types of `@fal-ai/client` 1.10.1 (`types/endpoints`); for Seedance 2
 * from its pages, https://fal.ai/models/bytedance/seedance-2.0/text-to-video and its neighbors.
 */
export const models: readonly FalModel[] = [
  { id: 'bytedance/seedance-2.0', ...seedance2, can: { ...upTo2, resolutions: ['480p', '720p', '1080p'] } },
  { id: 'bytedance/seedance-2.0/fast', ...seedance2, can: upTo2 },
  {
    id: 'bytedance/seedance-2.5',
    ...seedance2,
    can: { ...seedance2Can, images: 30, videos: 10, audios: 10, durations: { min: 4, max: 30 } },
  },
  {
    id: 'fal-ai/bytedance/seedance/v1.5/pro',
    text: TEXT,
    first: IMAGE,
    names: { cameraFixed: 'camera_fixed' },
    can: { ...seedance1Can, frames: 'first-and-last', durations: { min: 4, max: 12 }, audio: 'asked' },
  },
  { id: 'fal-ai/bytedance/seedance/v1/pro', ...seedance1, can: { ...seedance1Can, frames: 'first-and-last' } },
  { id: 'fal-ai/bytedance/seedance/v1/pro/fast', ...seedance1, can: { ...seedance1Can, frames: 'first' } },
  {
    id: 'fal-ai/bytedance/seedance/v1/lite',
    ...seedance1,
    references: { path: '/reference-to-video', names: { images: 'reference_image_urls' } },
    can: { ...seedance1Can, frames: 'first-and-last', images: 4 },
  },
  {
    id: 'fal-ai/veo3.1',
    ...veo,
    both: veoBoth,
    references: { path: '/reference-to-video', names: { seed: null } },
    can: { ...veoCan, images: 3, resolutions: ['720p', '1080p', '4k'] },
  },
  { id: 'fal-ai/veo3.1/fast', ...veo, both: veoBoth, can: { ...veoCan, resolutions: ['720p', '1080p', '4k'] } },
  { id: 'fal-ai/veo3.1/lite', ...veo, both: veoBoth, can: veoCan },
  {
    id: 'fal-ai/kling-video/v2.5-turbo/pro',
    ...kling,
    names: { lastFrame: 'tail_image_url', seed: null, resolution: null, audio: null },
    can: { ...klingCan, audio: 'never' },
  },
  { id: 'fal-ai/kling-video/v2.6/pro', ...kling3, can: klingCan },
  { id: 'fal-ai/kling-video/v3/pro', ...kling3, can: kling3Can },
  { id: 'fal-ai/kling-video/v3/standard', ...kling3, can: kling3Can },
  { id: 'fal-ai/minimax/hailuo-02/standard', ...hailuo, can: { ...hailuoCan, frames: 'first-and-last' } },
  { id: 'fal-ai/minimax/hailuo-2.3/standard', ...hailuo, can: hailuoCan },
  {
    id: 'fal-ai/wan/v2.7',
    text: TEXT,
    first: FRAMED,
    names: { audio: null },
    can: {
      ...seedance1Can,
      frames: 'first-and-last',
      durations: { min: 2, max: 15 },
      ratios: MANY,
      resolutions: ['720p', '1080p'],
      cameraFixed: false,
      audio: 'always',
    },
  },
  {
    id: 'fal-ai/luma-dream-machine/ray-2',
    text: { path: '' },
    first: IMAGE,
    seconds: 'suffixed',
    names: { seed: null, audio: null },
    can: {
      ...klingCan,
      durations: [5, 9],
      ratios: ['16:9', '9:16', '4:3', '3:4', '21:9', '9:21'],
      resolutions: ['720p', '1080p'],
      audio: 'never',
    },
  },
]
