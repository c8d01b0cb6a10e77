import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '5:2']
const DURATIONS = { min: 1, max: 15 }

/**
 * Abilities that the API has no field for. Reference sound is a named voice of the vendor, and editing a video is a
 * separate API.
 */
const NONE: VideoCapabilities = {
  videos: 0,
  audios: 0,
  seed: false,
  watermark: false,
  cameraFixed: false,
  ownDuration: false,
  user: true,
}
const GROK: VideoCapabilities = {
  ...NONE,
  text: true,
  frames: 'first',
  durations: DURATIONS,
  ratios: RATIOS,
  audio: 'asked',
}

/**
 * Prices depend on resolution, and are omitted.
 *
 * @see https://docs.x.ai/developers/model-capabilities/video/overview#capabilities-and-specifications
 */
const VIDEO: Readonly<Record<string, VideoCapabilities>> = {
  'grok-imagine-video': { ...GROK, images: 7, resolutions: ['480p', '720p'] },
  'grok-imagine-video-1.5': { ...GROK, frames: 'first-or-last', images: 7, resolutions: ['480p', '720p', '1080p'] },
  'grok-imagine-video-1.5-lite': { ...GROK, images: 0, resolutions: ['480p', '720p', '1080p'] },
}

export function abilitiesOf(model: string): VideoCapabilities {
  return (Object.hasOwn(VIDEO, model) && VIDEO[model]) || NONE
}

export const models: readonly ModelFacts[] = Object.keys(VIDEO).map((id) => ({ id, families: ['video'] }))
