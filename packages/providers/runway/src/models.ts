import type { ModelFacts, VideoCapabilities } from '@headgate/core/provider'

/**
 * Model with its API fields, from the types of @runwayml/sdk 4.20.1. The API only accepts a seed, or a duration chosen
 * by the model, if the types have it.
 */
export interface RunwayModel extends Omit<VideoCapabilities, 'ratios' | 'resolutions' | 'takes'> {
  /**
   * Values of `ratio` in pixels. The first of each resolution is 16:9, the default if the request only has a
   * resolution.
   */
  readonly sizes?: readonly string[]
  /** Values of `ratio` for videos from text, if there are fewer. */
  readonly textSizes?: readonly string[]
  /** `ratio` is required. */
  readonly needsSize?: true
  /** Values of `ratio` as aspect ratios, for models with a separate `resolution`. */
  readonly ratios?: readonly string[]
  /** Values of `resolution`, by Headgate's names. */
  readonly resolutions?: Readonly<Record<string, string>>
  /** The video has the ratio of the frame: a request with a frame has `resolution`, or `ratio: 'auto_720p'`. */
  readonly follows?: 'resolution' | 'auto'
}

const NO_REFERENCES = { images: 0, videos: 0, audios: 0 } as const

const HD = ['1280:720', '720:1280', '960:960']
const GEN = [...HD, '1104:832', '832:1104', '1584:672']
const VEO = ['1280:720', '720:1280', '1920:1080', '1080:1920']
const HAPPY_HORSE = [...HD, '1108:832', '832:1108', '1920:1080', '1080:1920', '1440:1440', '1662:1248', '1248:1662']
const WAN_480 = ['832:480', '720:544', '624:624', '544:720', '480:832']
const WAN = [...HD, '1104:832', '832:1104', ...WAN_480, '1920:1080', '1648:1248', '1440:1440', '1248:1648', '1080:1920']
const SEEDANCE_480 = ['864:496', '992:432', '752:560', '640:640', '560:752', '496:864']
const SEEDANCE_25_480 = ['854:480', '992:432', '752:560', '640:640', '560:752', '480:854']
const SEEDANCE_720 = [...HD, '1470:630', '1112:834', '834:1112']
const SEEDANCE_1080 = ['1920:1080', '2206:946', '1664:1248', '1440:1440', '1248:1664', '1080:1920']
const SEEDANCE_4K = ['3840:2160', '3840:1646', '3840:2880', '3840:3840', '2880:3840', '2160:3840']
const OMNI = ['1280:720', '720:1280', '1920:1080', '1080:1920', '3840:2160', '2160:3840']
const WORDS = ['16:9', '9:16', '1:1', '4:3', '3:4']

const veo = {
  text: true,
  frames: 'first-and-last',
  ...NO_REFERENCES,
  durations: [4, 6, 8],
  sizes: VEO,
  needsSize: true,
  seed: true,
  audio: 'asked',
} as const
const seedance = {
  text: true,
  frames: 'first-and-last',
  images: 9,
  durations: { min: 4, max: 15 },
  ownDuration: true,
  seed: true,
  audio: 'asked',
} as const
const wan = { text: true, frames: 'first-and-last', images: 10, sizes: WAN, follows: 'auto', audio: 'asked' } as const

// biome-ignore format: one line a model
export const models: Readonly<Record<string, RunwayModel>> = {
  'gen4.5': { text: true, frames: 'first', ...NO_REFERENCES, durations: { min: 2, max: 10 }, sizes: GEN, textSizes: ['1280:720', '720:1280'], needsSize: true, seed: true, audio: 'never' },
  gen4_turbo: { text: false, frames: 'first', ...NO_REFERENCES, durations: { min: 2, max: 10 }, sizes: GEN, needsSize: true, seed: true, audio: 'never' },
  'veo3.1': veo,
  'veo3.1_fast': veo,
  seedance2: { ...seedance, sizes: [...SEEDANCE_720, ...SEEDANCE_480, ...SEEDANCE_1080, ...SEEDANCE_4K] },
  seedance2_fast: { ...seedance, sizes: [...SEEDANCE_720, ...SEEDANCE_480] },
  seedance2_mini: { ...seedance, sizes: [...SEEDANCE_720, ...SEEDANCE_480] },
  seedance2_5: { ...seedance, images: 30, durations: { min: 4, max: 30 }, sizes: [...SEEDANCE_720, ...SEEDANCE_25_480, ...SEEDANCE_1080] },
  wan3: wan,
  wan3_prime: wan,
  gemini_omni_flash: { audio: 'always', text: true, frames: 'first', ...NO_REFERENCES, durations: { min: 3, max: 10 }, sizes: ['1280:720', '720:1280'] },
  'gemini_omni_flash_1.1': { audio: 'always', text: true, frames: 'first-and-last', audios: 0, durations: { min: 3, max: 10 }, ownDuration: true, sizes: OMNI },
  hailuo3: { audio: 'always', text: true, frames: 'first-and-last', images: 9, ratios: [...WORDS, '21:9', 'adaptive'], resolutions: { '720p': '768p', '1080p': '2k' } },
  h3_max: { text: true, frames: 'first-and-last', ...NO_REFERENCES, ratios: [], resolutions: { '480p': '480p', '720p': '768p' }, seed: true },
  happyhorse_1_0: { text: true, frames: 'first', ...NO_REFERENCES, sizes: HAPPY_HORSE, resolutions: { '720p': '720p', '1080p': '1080p' }, follows: 'resolution' },
  grok_imagine_1_5: { text: true, frames: 'first', videos: 0, ratios: [...WORDS, '3:2', '2:3'], resolutions: { '480p': '480p', '720p': '720p', '1080p': '1080p' }, follows: 'resolution' },
}

/** Price of a million credits, in nano-dollars: one cent each for every model, https://docs.dev.runwayml.com/guides/pricing. */
const price = { id: 'runway-pricing@2026-11-22', input: 0, output: 0, units: { credits: 10_000_000_000_000 } }

export const known: readonly ModelFacts[] = Object.keys(models).map((id) => ({ id, families: ['video'], price }))
