import type { VideoInput, VideoInputNames } from '@headgate/core/provider'

/** How seconds are written: `"5"`, `"5s"`, or 5. */
export const SECONDS = ['text', 'suffixed', 'number'] as const

/** How a model's inputs deviate from those that most models have. */
export interface Inputs {
  readonly names?: VideoInputNames | undefined
  /** Default `text`. */
  readonly seconds?: (typeof SECONDS)[number] | undefined
}

/** Names of inputs in most models; null = most models have none. */
export const USUAL: { readonly [Key in VideoInput]: string | null } = {
  firstFrame: 'image_url',
  lastFrame: 'end_image_url',
  images: 'image_urls',
  videos: 'video_urls',
  audios: 'audio_urls',
  duration: 'duration',
  ratio: 'aspect_ratio',
  resolution: 'resolution',
  seed: 'seed',
  audio: 'generate_audio',
  cameraFixed: null,
  user: null,
}
