import type { ImageSize, ImagesAbilities } from '../contract/images.ts'
import type { ImagesOptions } from './images.ts'

/** Factors of the qualities whose price is public. */
const FACTORS: Readonly<Record<string, number>> = { low: 16, medium: 48, high: 96 }
/** Size with the most tokens. */
const DEAREST: ImageSize = { width: 2_880, height: 2_880 }
const MILLION = 1_000_000

/**
 * Output tokens of one image of gpt-image-2; undefined for qualities without a public factor. Without a size or a
 * quality, the most that the model can choose.
 * @example gptImageTokens({ width: 1024, height: 1024 }, 'high') // 7024
 * @see https://community.openai.com/t/1382699
 */
export function gptImageTokens({ width, height }: ImageSize = DEAREST, quality = 'high'): number | undefined {
  const factor = Object.hasOwn(FACTORS, quality) ? FACTORS[quality] : undefined
  if (factor === undefined) return undefined
  const [short, long] = width < height ? [width, height] : [height, width]
  const across = Math.floor((2 * factor * short + long) / (2 * long))
  return Math.ceil((factor * across * (2 * MILLION + width * height)) / (4 * MILLION))
}

/** Fields that only these models have. */
const MORE = ['moderation', 'input_fidelity', 'complexity', 'frame_count', 'frame_duration_ms', 'svg'] as const

const shared: ImagesAbilities = {
  n: 10,
  qualities: ['low', 'medium', 'high'],
  formats: ['png', 'jpeg', 'webp'],
  compression: true,
  transparent: true,
  user: true,
  images: 16,
  mask: true,
  more: MORE,
}

/**
 * Capabilities of gpt-image models, also for deployments of other names.
 * @see https://platform.openai.com/docs/api-reference/images/create
 * @example gptImageAbilities('gpt-image-1').sizes // ['1024x1024', '1536x1024', '1024x1536']
 */
export function gptImageAbilities(model: string): ImagesAbilities {
  if (/^(?:chatgpt-image|gpt-image-1)/.test(model)) return { ...shared, sizes: ['1024x1024', '1536x1024', '1024x1536'] }
  const sizes = { multiple: 16, pixels: [655_360, 8_294_400], ratio: 3, side: 3_840 } as const
  if (/^gpt-image-2(?:-\d{4}|$)/.test(model)) return { ...shared, sizes, outputTokens: gptImageTokens }
  return { ...shared, sizes, qualities: ['low', 'medium', 'high', 'xhigh', 'max'] }
}

/**
 * Images of gpt-image models. They reject `response_format` and `style`.
 * @example const provider = openAICompatibleServer({ baseUrl, apiKey, images: gptImages })
 */
export const gptImages: ImagesOptions = {
  edits: '/images/edits',
  can: gptImageAbilities,
  native: { json: true, stream: true, lacks: ['response_format', 'style', 'aspect_ratio', 'resolution'] },
}
