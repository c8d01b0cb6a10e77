import { compact, isDataUrl, isObject, type Json, normalizeMime, readDataUrl } from '@headgate/core/canonical'
import type { ImageSize, MediaFile } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { z } from 'zod'
import { parsed } from '../../edge/parsed.ts'
import type { UploadPart } from '../../uploads/multipart.ts'
import { contentOf } from '../../uploads/rewritten-form.ts'
import type { Upload } from '../../uploads/upload.ts'
import { HEAD_BYTES, imageFacts } from './dimensions.ts'
import {
  type EditsBody,
  editsSchema,
  generationsSchema,
  MAX_INPUTS,
  openRouterSchema,
  type SourceField,
} from './schema.ts'

/** Prompt of an edit that serves a request for a variation. */
export const VARIATION = 'Create a variation of this image.'

/** Image of a request, with the path of its field. Exactly one of the other members is set. */
export interface SourceImage {
  readonly path: string
  readonly file?: MediaFile | undefined
  /** `https:` or `data:`. */
  readonly url?: string | undefined
  /** File at a provider. */
  readonly fileId?: string | undefined
}

/** Request for images, read from its wire. Absent settings are the model's choice. */
export interface ImagesInput {
  readonly prompt: string
  readonly n: number
  readonly size?: ImageSize | undefined
  readonly ratio?: string | undefined
  readonly resolution?: string | undefined
  readonly quality?: string | undefined
  readonly background?: 'transparent' | 'opaque' | undefined
  readonly format?: string | undefined
  readonly compression?: number | undefined
  readonly seed?: number | undefined
  readonly negative?: string | undefined
  readonly user?: string | undefined
  readonly asUrl: boolean
  readonly isStream: boolean
  readonly partials: number
  readonly images: readonly SourceImage[]
  readonly mask?: SourceImage | undefined
  /** Fields that the contract does not name. */
  readonly more: Json
  /** True for a variation, whose prompt is the gateway's. */
  readonly isVariation: boolean
}

type SharedFields = z.output<typeof generationsSchema>

/** Fields that are read into {@link ImagesInput}, besides images. */
const READ: ReadonlySet<string> = new Set(Object.keys(generationsSchema.shape))

/** @throws HeadgateError that names the invalid field */
export function readGenerations(json: Json): ImagesInput {
  checkPrompt(json)
  return inputOf(parsed(generationsSchema, json, 'prompt'), [], undefined)
}

/** @throws HeadgateError that names the invalid field */
export function readJsonEdits(json: Json): ImagesInput {
  checkPrompt(json)
  const body = parsed(editsSchema, json, 'images')
  const images = sourcesOf(body)
  if (images.length === 0) throw invalid('images', 'The field images is missing. An edit needs 1 to 16 images.')
  const { mask, images: _, image: __, ...rest } = body
  return inputOf(rest, images, mask == null ? undefined : sourceOf(mask, 'mask'))
}

/** Reads OpenRouter's wire. @throws HeadgateError that names the invalid field */
export function readOpenRouter(json: Json): ImagesInput {
  checkPrompt(json)
  const body = parsed(openRouterSchema, json, 'prompt')
  const { input_references: references, ...rest } = body
  const images = (references ?? []).map(
    ({ image_url: { url } }, index): SourceImage => ({ path: `input_references[${index}].image_url.url`, url }),
  )
  return inputOf(rest, images, undefined)
}

/** Reads the form of an edit. @throws HeadgateError that names the invalid field */
export async function readFormEdits(upload: Upload): Promise<ImagesInput> {
  const json = fieldsOf(upload)
  checkPrompt(json)
  const images = await filesOf(upload)
  const [mask, another] = upload.files('mask')
  if (another) throw invalid('mask', 'The form has the field mask twice.')
  return inputOf(parsed(generationsSchema, json, 'image'), images, mask && (await fileOf(upload, mask, 'mask')))
}

/** Reads the form of a variation as an edit. @throws HeadgateError that names the invalid field */
export async function readVariation(upload: Upload): Promise<ImagesInput> {
  const body = parsed(generationsSchema, { ...fieldsOf(upload), prompt: VARIATION }, 'image')
  const images = await filesOf(upload)
  if (images.length > 1) throw invalid('image', 'A variation has one image.')
  return { ...inputOf(body, images, undefined), isVariation: true }
}

function checkPrompt(json: Json): void {
  const { prompt } = json
  if (typeof prompt === 'string' && prompt.trim() !== '') return
  throw invalid('prompt', prompt === undefined ? 'The field prompt is missing.' : 'The field prompt must be text.')
}

function inputOf(body: SharedFields, images: readonly SourceImage[], mask: SourceImage | undefined): ImagesInput {
  const { size, ratio, resolution } = dimensionsOf(body)
  const { quality, background, output_format: format, response_format, seed } = body
  if (background === 'transparent' && (format === 'jpeg' || format === 'jpg'))
    throw invalid('background', 'An image in jpeg cannot be transparent. Choose png or webp.')
  const more = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !READ.has(name) && value !== undefined && value !== null),
  )
  return {
    prompt: body.prompt,
    n: body.n ?? 1,
    asUrl: response_format === 'url',
    isStream: body.stream ?? false,
    partials: body.partial_images ?? 0,
    images,
    more,
    isVariation: false,
    ...compact({
      size,
      ratio,
      resolution,
      quality: quality === 'auto' ? undefined : (quality ?? undefined),
      background: background === 'auto' ? undefined : (background ?? undefined),
      format: format === 'jpg' ? 'jpeg' : (format ?? undefined),
      compression: body.output_compression ?? undefined,
      seed: seed == null || seed < 0 ? undefined : seed,
      negative: body.negative_prompt || undefined,
      user: body.safety_identifier ?? body.user ?? undefined,
      mask,
    }),
  }
}

const RESOLUTION = /^(?:512|0\.5k|[1-8]k)$/i

function dimensionsOf(body: SharedFields): Pick<ImagesInput, 'size' | 'ratio' | 'resolution'> {
  const { size, aspect_ratio: ratio, resolution } = body
  const isTier = size != null && RESOLUTION.test(size)
  const pixels = size == null || size === 'auto' || isTier ? undefined : sizeIn(size)
  if (size != null && size !== 'auto' && !isTier && !pixels)
    throw invalid(
      'size',
      'The size must be `auto`, a width and height such as `1536x1024`, or a resolution such as `2K`.',
    )
  if (ratio != null && ratio !== 'auto' && ratioIn(ratio) === undefined)
    throw invalid('aspect_ratio', 'The ratio must be `auto` or two numbers such as `16:9`.')
  return compact({
    size: pixels,
    ratio: ratio == null || ratio === 'auto' || pixels ? undefined : ratio,
    resolution: pixels ? undefined : isTier ? size : (resolution ?? undefined),
  })
}

/** Size of `1536x1024`; undefined for other strings. */
export function sizeIn(text: string): ImageSize | undefined {
  const [, width, height] = /^([1-9]\d{1,4})[x*]([1-9]\d{1,4})$/i.exec(text) ?? []
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) }
}

/** Width divided by height of `16:9`; undefined for other strings. */
export function ratioIn(text: string): number | undefined {
  const [, width, height] = /^(\d{1,4}(?:\.\d{1,2})?):(\d{1,4}(?:\.\d{1,2})?)$/.exec(text) ?? []
  const ratio = Number(width) / Number(height)
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined
}

function sourcesOf({ images, image }: EditsBody): readonly SourceImage[] {
  if (images) return images.map((one, index) => sourceOf(one, `images[${index}]`))
  if (image == null) return []
  return Array.isArray(image) ? image.map((one, index) => sourceOf(one, `image[${index}]`)) : [sourceOf(image, 'image')]
}

function sourceOf(source: SourceField, path: string): SourceImage {
  if (typeof source === 'string') return { path, url: source }
  const { image_url: link = source, file_id: fileId } = source as Json
  if (typeof fileId === 'string') return { path: `${path}.file_id`, fileId }
  if (typeof link === 'string') return { path: `${path}.image_url`, url: link }
  const url = isObject(link) ? link['url'] : undefined
  if (typeof url === 'string') return { path: `${path}.url`, url }
  throw invalid(path, `${path} must have image_url or file_id.`)
}

/** Fields of a form as JSON: numbers and booleans by their name, names with brackets unchanged. */
function fieldsOf(upload: Upload): Json {
  const json: Json = {}
  for (const name of new Set(upload.parts.filter(({ filename }) => filename === undefined).map(({ name }) => name))) {
    if (!READ.has(name)) json[name] = upload.texts(name)
    else {
      const text = upload.text(name)
      if (text !== undefined && text !== '') json[name] = fieldValue(name, text)
    }
  }
  return json
}

const NUMBERS: ReadonlySet<string> = new Set(['n', 'output_compression', 'partial_images', 'seed'])

function fieldValue(name: string, text: string): unknown {
  if (NUMBERS.has(name)) return /^-?\d+$/.test(text.trim()) ? Number(text) : text
  if (name === 'stream' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

async function filesOf(upload: Upload): Promise<readonly SourceImage[]> {
  const parts = upload.files('image', 'image[]', 'images', 'images[]')
  if (parts.length > MAX_INPUTS)
    throw invalid('image', `The form has ${parts.length} images. Send at most ${MAX_INPUTS}.`)
  if (parts.length === 0)
    throw invalid(
      'image',
      upload.texts('image').length + upload.texts('image[]').length > 0
        ? 'The field image must be a file. Its part needs a file name, and URLs are not fetched.'
        : 'The field image is missing.',
    )
  return Promise.all(parts.map((part, index) => fileOf(upload, part, parts.length > 1 ? `image[${index}]` : 'image')))
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' }

/** File name extension of a media type. */
export function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? type.slice(type.indexOf('/') + 1)
}

async function fileOf(upload: Upload, part: UploadPart, path: string): Promise<SourceImage> {
  const { start, end, filename = '', type } = part
  if (end === start) throw invalid(path, `The file ${path} is empty.`)
  const facts = imageFacts(await upload.spool.bytes(start, Math.min(end, start + HEAD_BYTES)))
  const mime = type === undefined || type === 'application/octet-stream' ? facts?.type : normalizeMime(type)
  const name =
    /\.[a-z0-9]{1,5}$/i.test(filename) || !facts
      ? filename || 'image'
      : `${filename || 'image'}.${extensionOf(facts.type)}`
  return { path, file: { name, type: mime ?? 'application/octet-stream', content: contentOf(upload, part) } }
}

/** Image with the bytes of a data URL. @throws HeadgateError if it is malformed */
export function fileOfDataUrl(url: string, path: string): MediaFile {
  const { mime, data } = readDataUrl(url, path)
  return fileOfBytes(Buffer.from(data, 'base64'), mime)
}

/** File with these bytes. */
export function fileOfBytes(bytes: Buffer, type: string): MediaFile {
  return {
    name: `image.${extensionOf(type)}`,
    type,
    content: {
      size: bytes.length,
      async *read() {
        yield bytes
      },
    },
  }
}

/** True for a URL that must be downloaded. */
export function isRemote(url: string | undefined): url is string {
  return url !== undefined && !isDataUrl(url)
}
