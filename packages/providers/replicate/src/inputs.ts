import type { VideoRequest } from '@headgate/core/provider'

/** What of a request has a field of its own among a model's inputs. */
export const INPUTS = [
  ...(['firstFrame', 'lastFrame', 'images', 'videos', 'audios', 'duration', 'ratio', 'resolution'] as const),
  ...(['seed', 'audio', 'cameraFixed'] as const),
] as const satisfies readonly (keyof VideoRequest)[]

export type Input = (typeof INPUTS)[number]

/** Names of inputs; null = the model has none. */
export type Names = { readonly [Key in Input]?: string | null | undefined }

/** What most models call their inputs. */
export const USUAL: Readonly<Record<Input, string | null>> = {
  firstFrame: 'image',
  lastFrame: 'last_frame_image',
  images: 'reference_images',
  videos: 'reference_videos',
  audios: 'reference_audios',
  duration: 'duration',
  ratio: 'aspect_ratio',
  resolution: 'resolution',
  seed: 'seed',
  audio: 'generate_audio',
  cameraFixed: 'camera_fixed',
}
