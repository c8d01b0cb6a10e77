import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/**
 * Abilities of all models: every video has sound, images are sent as bytes, and only videos in the vendor's file
 * storage can be inputs.
 */
const OMNI: VideoCapabilities = {
  videos: 0,
  audios: 0,
  takes: 'base64',
  ownDuration: false,
  audio: 'always',
  watermark: false,
  cameraFixed: false,
  user: false,
}
const FLASH: VideoCapabilities = {
  ...OMNI,
  text: true,
  frames: 'first-and-last',
  images: 6,
  ratios: ['16:9', '9:16'],
  resolutions: ['720p', '1080p', '4k'],
}

/** Prices depend on resolution and kind of token, and are omitted. */
const VIDEO: Readonly<Record<string, VideoCapabilities>> = {
  'gemini-omni-1.1-flash': { ...FLASH, durations: { min: 3, max: 10 }, seed: false },
  'gemini-omni-1.2-flash': { ...FLASH, durations: { min: 3, max: 15 }, seed: true },
}

export function abilitiesOf(model: string): VideoCapabilities {
  return (Object.hasOwn(VIDEO, model) && VIDEO[model]) || OMNI
}

export const videoModels: readonly ModelFacts[] = Object.keys(VIDEO).map((id) => ({ id, families: ['video'] }))
