import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/** Abilities of all Veo models. The API has no field for others. */
const VEO: VideoCapabilities = {
  videos: 0,
  audios: 0,
  takes: 'base64',
  ownDuration: false,
  seed: true,
  watermark: false,
  cameraFixed: false,
  user: false,
}
const VEO_3: VideoCapabilities = { ...VEO, text: true, durations: [4, 6, 8], ratios: ['16:9', '9:16'], audio: 'asked' }
const VEO_31: VideoCapabilities = {
  ...VEO_3,
  frames: 'first-and-last',
  images: 3,
  resolutions: ['720p', '1080p', '4k'],
}

/**
 * Prices depend on resolution and sound, and are omitted.
 *
 * @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/veo/3-1-generate
 */
const VIDEO: Readonly<Record<string, VideoCapabilities>> = {
  'veo-3.1-generate-001': VEO_31,
  'veo-3.1-fast-generate-001': VEO_31,
  'veo-3.1-lite-generate-001': { ...VEO_31, images: 0, resolutions: ['720p', '1080p'] },
}

export function abilitiesOf(model: string): VideoCapabilities {
  return (Object.hasOwn(VIDEO, model) && VIDEO[model]) || VEO
}

export const videoModels: readonly ModelFacts[] = Object.keys(VIDEO).map((id) => ({ id, families: ['video'] }))
