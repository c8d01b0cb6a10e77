import type { VideoInput, VideoInputNames } from '@headgate/core/provider'

/** Encoding of seconds: `"5"`, `"5s"`, or 5. */
export const SECONDS = ['text', 'suffixed', 'number'] as const

/** Differences of a model's inputs from the usual ones. */
export interface Inputs {
  readonly names?: VideoInputNames | undefined
  /** Default: `text`. */
  readonly seconds?: (typeof SECONDS)[number] | undefined
}

/** Usual names of inputs; null if most models lack the input. */
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
