import type { VideoInput } from '@headgate/core/provider'

/** Usual names of inputs; null if most models lack the input. */
export const USUAL: Readonly<Record<VideoInput, string | null>> = {
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
  user: null,
}
