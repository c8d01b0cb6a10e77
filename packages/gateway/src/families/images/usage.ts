import { imageTokens, isObject, type Json, type Price, text, type Usage } from '@headgate/core/canonical'
import type { ImageSize, ImagesAbilities } from '@headgate/core/contract'
import type { UsageBound } from '../../cost/bound.ts'
import type { ImagesInput } from './input.ts'

/** Maximum tokens of one image to edit at any known vendor. */
const IMAGE_TOKENS = 49_152
/** Output tokens of a partial image. */
const PARTIAL_TOKENS = 100

/**
 * Usage of a response in OpenAI's wire; undefined if it reports none. A drawing by a second model has its own price, so
 * that the usage is unknown here.
 */
export function tokensIn(body: Json): Usage | undefined {
  return isObject(body['svg_usage']) ? undefined : imageTokens(body)
}

/** Images of a response, as far as prices depend on them. */
export interface MadeFacts {
  readonly count: number
  readonly size: ImageSize | undefined
  readonly quality: string | undefined
  readonly resolution?: string | undefined
}

/**
 * Usage of a provider that reports none: the number of images, and what else the price counts. Undefined if pixels are
 * billed and the size is unknown.
 */
export function countedUsage(made: MadeFacts, inputImages: number, price: Price | undefined): Usage | undefined {
  const units = price?.units ?? {}
  const area = made.size && made.size.width * made.size.height
  const counts: Record<string, number> = {}
  if (Object.hasOwn(units, 'pixels')) {
    if (area === undefined) return undefined
    counts['pixels'] = area * made.count
  }
  if (!Object.hasOwn(units, 'pixels') || Object.hasOwn(units, 'images')) counts['images'] = made.count
  if (inputImages > 0 && Object.hasOwn(units, 'inputImages')) counts['inputImages'] = inputImages
  const variant = variantOf(price, made)
  return { input: 0, output: 0, units: counts, ...(variant !== undefined && { variant }) }
}

/**
 * Variant of the images of a response: the name in the price, by quality and size, by one of them, or by the
 * resolution. A price that is set later may depend on it, so without a name in the price it is quality and size.
 */
export function variantOf(price: Price | undefined, { size, quality, resolution }: MadeFacts): string | undefined {
  const variants = price?.variants ?? {}
  const pixels = size && `${size.width}x${size.height}`
  const shape = [pixels, resolution].filter((one) => one !== undefined)
  const names = [...(quality === undefined ? [] : shape.map((one) => `${quality}:${one}`)), ...shape]
  const listed = [...names, ...(quality === undefined ? [] : [quality])].find((name) => Object.hasOwn(variants, name))
  const parts = [quality, resolution ?? pixels].filter((part) => part !== undefined)
  return listed ?? (parts.length > 0 ? parts.join(':') : undefined)
}

/** Number and settings of the images of a call. */
export interface CallSize {
  readonly n: number
  readonly size: ImageSize | undefined
  readonly quality: string | undefined
}

/** Worst-case usage of one call: tokens where the model has a public formula, and units that the price may count. */
export function boundOf(input: ImagesInput, can: ImagesAbilities, { n, size, quality }: CallSize): UsageBound {
  const inputs = input.images.length + (input.mask ? 1 : 0)
  const imageInput = inputs * (can.inputTokens ?? IMAGE_TOKENS) * n
  const prompt = (Buffer.byteLength(input.prompt) + Buffer.byteLength(input.negative ?? '')) * n
  const each = can.outputTokens?.(size, quality)
  const output = each === undefined ? Number.POSITIVE_INFINITY : n * (each + PARTIAL_TOKENS * input.partials)
  return {
    input: prompt + imageInput,
    output,
    imageInput,
    imageOutput: output,
    perhaps: { images: n, inputImages: inputs * n, pixels: n * mostPixels(size, can) },
  }
}

function mostPixels(size: ImageSize | undefined, { sizes, resolutions }: ImagesAbilities): number {
  if (size) return size.width * size.height
  if (Array.isArray(sizes)) return Math.max(...sizes.map(areaOf))
  if (typeof sizes === 'object' && 'pixels' in sizes) return sizes.pixels[1]
  if (resolutions) return Math.max(...Object.values(resolutions)) ** 2
  return Number.POSITIVE_INFINITY
}

function areaOf(size: string): number {
  const [width = Number.NaN, height = Number.NaN] = size.split(/[x*]/).map(Number)
  return width * height
}

/** Usage for callers in OpenAI's wire; undefined if the provider counts no tokens. */
export function writtenUsage(usage: Usage | undefined): Json | undefined {
  if (!usage || usage.input + usage.output === 0) return undefined
  const { input, output, imageInput = 0, imageOutput = output } = usage
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: Math.max(0, input - imageInput), image_tokens: imageInput },
    output_tokens: output,
    output_tokens_details: { text_tokens: Math.max(0, output - imageOutput), image_tokens: imageOutput },
    total_tokens: input + output,
  }
}

/** Facts of a response in OpenAI's wire. */
export function madeIn(body: Json, images: number, sizeOf: (text: string) => ImageSize | undefined): MadeFacts {
  return { count: images, size: sizeOf(text(body['size']) ?? ''), quality: text(body['quality']) }
}
