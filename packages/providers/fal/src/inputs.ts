import type { VideoRequest } from '@headgate/core/provider'

/** How seconds are written: `"5"`, `"5s"`, or 5. */
export const SECONDS = ['text', 'suffixed', 'number'] as const

/** What of a request has a field of its own among a model's inputs. */
export const INPUTS = [
  ...(['firstFrame', 'lastFrame', 'images', 'videos', 'audios', 'duration', 'ratio', 'resolution'] as const),
  ...(['seed', 'audio', 'cameraFixed', 'user'] as const),
] as const satisfies readonly (keyof VideoRequest)[]

export type Input = (typeof INPUTS)[number]

/** Names of inputs; null = the model has none. */
export type Names = { readonly [Key in Input]?: string | null | undefined }

/** How a model's inputs deviate from those that most models have. */
export interface Inputs {
  readonly names?: Names | undefined
  /** Default `text`. */
  readonly seconds?: (typeof SECONDS)[number] | undefined
}

/** What most models call their inputs. What not most have is null. */
export const USUAL: { readonly [Key in Input]: string | null } = {
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
