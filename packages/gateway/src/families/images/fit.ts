import { changed, compact, dropped, type Json, type Loss } from '@headgate/core/canonical'
import type { ImageFormat, ImageSize, ImagesAbilities, ImagesRequest } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { type ImagesInput, ratioIn, sizeIn } from './input.ts'

/** Settings of a request that a model supports. */
export type FittedSettings = Pick<
  ImagesRequest,
  'size' | 'ratio' | 'resolution' | 'quality' | 'format' | 'compression' | 'background' | 'seed' | 'negative' | 'user'
> & { readonly more: Json }

/** Fields that hold images. A request that has them cannot be served without them. */
const IMAGE_FIELDS = ['image', 'images', 'mask', 'image_url', 'image_urls', 'input_references'] as const

/** Values of `style` that clients of DALL-E send. Other models have other styles. */
const DALL_E_STYLES: ReadonlySet<unknown> = new Set(['vivid', 'natural'])

const NO_EQUIVALENT = 'the model has no equivalent'

/**
 * Settings of a request as a model supports them: the nearest values, which are declared as losses.
 * @throws HeadgateError for what the model cannot do
 */
export function fitSettings(input: ImagesInput, can: ImagesAbilities, model: string, losses: Loss[]): FittedSettings {
  checkInputs(input, can, model)
  const allowed = <T>(path: string, value: T | undefined, isAble: boolean | undefined): T | undefined => {
    if (value === undefined || isAble) return value
    dropped(losses, path, NO_EQUIVALENT)
    return undefined
  }
  const more = moreOf(input, can, losses)
  if (input.isVariation) changed(losses, 'prompt', 'a variation is an edit')
  return compact({
    ...dimensions(input, can, losses),
    quality: qualityOf(input.quality, can.qualities, losses),
    format: formatOf(input.format, can.formats, model, losses),
    compression: allowed('output_compression', input.compression, can.compression),
    background: can.transparent ? input.background : undefined,
    seed: allowed('seed', input.seed, can.seed),
    negative: allowed('negative_prompt', input.negative, can.negative),
    user: allowed('user', input.user, can.user),
    more,
  })
}

/** Fields beyond the contract that the model has. */
function moreOf({ more }: ImagesInput, { more: names = [] }: ImagesAbilities, losses: Loss[]): Json {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(more)) {
    if (names.includes(name) && !(name === 'style' && DALL_E_STYLES.has(value))) fields[name] = value
    else dropped(losses, name, NO_EQUIVALENT)
  }
  return fields
}

function checkInputs({ images, mask, background, more }: ImagesInput, can: ImagesAbilities, model: string): void {
  const { images: most = 0, more: names = [] } = can
  const [first] = images
  if (first && images.length > most)
    throw invalid(
      first.path,
      most === 0
        ? `The model ${model} does not edit images. Choose another model.`
        : `The model ${model} accepts at most ${most} images, and the request has ${images.length}.`,
    )
  if (mask && !can.mask) throw invalid(mask.path, `The model ${model} does not support masks. Choose another model.`)
  const file = [...images, ...(mask ? [mask] : [])].find(({ fileId }) => fileId !== undefined)
  if (file) throw invalid(file.path, `${file.path} is a file of another provider. Send its content instead.`)
  if (background === 'transparent' && !can.transparent)
    throw invalid('background', `The model ${model} makes no transparent images. Choose another model.`)
  const lost = IMAGE_FIELDS.find((name) => more[name] !== undefined && !names.includes(name))
  if (lost !== undefined)
    throw invalid(lost, `The model ${model} has no field ${lost} here. Send images to /v1/images/edits.`)
}

/** Names of qualities that earlier models had. */
const LEGACY: Readonly<Record<string, string>> = { standard: 'medium', hd: 'high' }

function qualityOf(asked: string | undefined, allowed: ImagesAbilities['qualities'], losses: Loss[]) {
  if (asked === undefined || allowed?.includes(asked)) return asked
  const legacy = LEGACY[asked]
  if (legacy !== undefined && allowed?.includes(legacy)) {
    changed(losses, 'quality', `changed to ${legacy}`)
    return legacy
  }
  dropped(losses, 'quality', NO_EQUIVALENT)
  return undefined
}

function formatOf(
  asked: string | undefined,
  allowed: ImagesAbilities['formats'],
  model: string,
  losses: Loss[],
): ImageFormat | undefined {
  if (asked === undefined) return undefined
  const format = allowed?.find((one) => one === asked)
  if (format || !allowed) {
    if (!format) dropped(losses, 'output_format', 'the model chooses the format')
    return format
  }
  throw invalid(
    'output_format',
    `The model ${model} makes ${allowed.join(', ') || 'no chosen format'}, not ${asked.slice(0, 16)}. Choose one of these.`,
  )
}

type ImageShape = Pick<ImagesRequest, 'size' | 'ratio' | 'resolution'>

function dimensions(input: ImagesInput, can: ImagesAbilities, losses: Loss[]): ImageShape {
  const { size, ratio, resolution } = input
  if (!size && ratio === undefined && resolution === undefined) return {}
  if (can.sizes) return { size: pixelsOf(input, can.sizes, losses) }
  if (can.ratios || can.resolutions) return shapeOf(input, can, losses)
  for (const [path, value] of Object.entries({ size, aspect_ratio: ratio, resolution }))
    if (value !== undefined) dropped(losses, path, 'the model chooses the size')
  return {}
}

/** Length of the longer side of named resolutions, in pixels. */
function sideOf(resolution: string): number {
  const [, thousands] = /^([\d.]+)k$/i.exec(resolution) ?? []
  return thousands === undefined ? Number(resolution) || 1024 : Number(thousands) * 1024
}

/** Size in pixels for models that have sizes. */
function pixelsOf(
  { size, ratio, resolution }: ImagesInput,
  sizes: NonNullable<ImagesAbilities['sizes']>,
  losses: Loss[],
): ImageSize | undefined {
  const wanted = size ?? sizeOfShape(ratioIn(ratio ?? '1:1') ?? 1, resolution === undefined ? 1024 : sideOf(resolution))
  if (sizes === 'any') return wanted
  const found = isList(sizes) ? nearestOf(wanted, sizes) : clamped(wanted, sizes)
  const isSame = size
    ? found?.width === size.width && found.height === size.height
    : found !== undefined && isNear(found.width / found.height, wanted.width / wanted.height)
  const path = size ? 'size' : ratio === undefined ? 'resolution' : 'aspect_ratio'
  if (!isSame) changed(losses, path, found ? `changed to ${found.width}x${found.height}` : 'the model chooses the size')
  return found
}

function isList(sizes: Exclude<ImagesAbilities['sizes'], 'any' | undefined>): sizes is readonly string[] {
  return Array.isArray(sizes)
}

function sizeOfShape(ratio: number, side: number): ImageSize {
  return ratio >= 1
    ? { width: side, height: Math.round(side / ratio) }
    : { width: Math.round(side * ratio), height: side }
}

/** Difference of two positive numbers that treats double and half alike. */
function distance(one: number, other: number): number {
  return Math.abs(Math.log(one / other))
}

function isNear(one: number, other: number): boolean {
  return distance(one, other) < 0.02
}

/** Weight of a different ratio in comparison with a different area. */
const RATIO_WEIGHT = 4

function nearestOf(wanted: ImageSize, sizes: readonly string[]): ImageSize | undefined {
  const known = sizes.flatMap((one) => sizeIn(one) ?? [])
  const far = ({ width, height }: ImageSize): number =>
    RATIO_WEIGHT * distance(width / height, wanted.width / wanted.height) +
    distance(width * height, wanted.width * wanted.height)
  return leastBy(known, far)
}

function leastBy<T>(values: readonly T[], by: (value: T) => number): T | undefined {
  let best: T | undefined
  let least = Number.POSITIVE_INFINITY
  for (const value of values) {
    const amount = by(value)
    if (amount < least) [best, least] = [value, amount]
  }
  return best
}

type SizeRule = Exclude<ImagesAbilities['sizes'], 'any' | readonly string[] | undefined>

/** Nearest size within a rule: first its ratio, then its area, then its sides. */
function clamped(wanted: ImageSize, rule: SizeRule): ImageSize {
  const { multiple, pixels, ratio: most, side = Number.POSITIVE_INFINITY } = rule
  if (isWithin(wanted, rule)) return wanted
  const ratio = Math.min(Math.max(wanted.width / wanted.height, 1 / most), most)
  const [fewest, greatest] = pixels
  const area = Math.min(Math.max(wanted.width * wanted.height, fewest), greatest)
  const longest = Math.min(Math.sqrt(area * Math.max(ratio, 1 / ratio)), side)
  const exact = ratio >= 1 ? { w: longest, h: longest / ratio } : { w: longest * ratio, h: longest }
  const steps = (length: number): number[] =>
    [Math.floor, Math.ceil].map((round) => round(length / multiple) * multiple)
  const near = steps(exact.w).flatMap((width) => steps(exact.h).map((height): ImageSize => ({ width, height })))
  const within = near.filter((one) => isWithin(one, rule))
  return leastBy(within, ({ width, height }) => distance(width / height, ratio)) ?? near[0] ?? wanted
}

/** True for a size that a rule allows. */
export function isWithin({ width, height }: ImageSize, { multiple, pixels, ratio, side }: SizeRule): boolean {
  const [fewest, greatest] = pixels
  const area = width * height
  return (
    width % multiple === 0 &&
    height % multiple === 0 &&
    area >= fewest &&
    area <= greatest &&
    Math.max(width, height) <= (side ?? Number.POSITIVE_INFINITY) &&
    Math.max(width, height) / Math.min(width, height) <= ratio
  )
}

/** Ratio and resolution for models that have these instead of sizes. */
function shapeOf({ size, ratio, resolution }: ImagesInput, can: ImagesAbilities, losses: Loss[]): ImageShape {
  const { ratios = [], resolutions = {} } = can
  const wanted = size ? size.width / size.height : ratio === undefined ? undefined : ratioIn(ratio)
  const shape =
    wanted === undefined
      ? undefined
      : (ratios.find((one) => one === ratio) ?? leastBy(ratios, (one) => distance(ratioIn(one) ?? 1e9, wanted)))
  const path = size ? 'size' : 'aspect_ratio'
  if (wanted !== undefined && shape === undefined) dropped(losses, path, 'the model chooses the ratio')
  const isSameShape = shape === undefined || wanted === undefined || isNear(ratioIn(shape) ?? 1e9, wanted)
  const side = size ? Math.max(size.width, size.height) : resolution === undefined ? undefined : sideOf(resolution)
  const names = Object.entries(resolutions)
  const named = names.find(([name]) => name.toLowerCase() === resolution?.toLowerCase())
  const nearest = side === undefined ? undefined : (named ?? leastBy(names, ([, length]) => distance(length, side)))
  if (side !== undefined && !nearest && !size) dropped(losses, 'resolution', 'the model chooses the resolution')
  const isSameSide = side === undefined || !nearest || named !== undefined || nearest[1] === side
  if (!isSameShape) changed(losses, path, `changed to ${shape}`)
  else if (!isSameSide) changed(losses, size ? 'size' : 'resolution', `changed to ${nearest?.[0]}`)
  return compact({ ratio: shape, resolution: nearest?.[0] })
}
