import { imageTokens } from '../canonical/image-usage.ts'
import { isObject, type Json, objects, text } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import { forModel, type PerModel } from '../contract/chat.ts'
import type { Body, FormPart, HttpResponse } from '../contract/http.ts'
import type {
  ImageInput,
  ImagesAbilities,
  ImagesRequest,
  ImagesResponse,
  ImagesSupport,
  MadeImage,
  NativeImages,
} from '../contract/images.ts'
import { HeadgateError } from '../errors.ts'

/** Differences between a server and OpenAI's images. */
export interface ImagesOptions {
  /** Path below the base URL, or a function of the model; default `/images/generations`. */
  readonly path?: PerModel<string> | undefined
  /** Path of edits; default: none. Forms, unless `takes` of the model is `data` or `urls`: then JSON. */
  readonly edits?: PerModel<string> | undefined
  /** Capabilities by model. */
  readonly can: PerModel<ImagesAbilities>
  /**
   * Capabilities of the paths for callers of the same wire: `json` for JSON edits, `stream` for partial images, `lacks`
   * for fields that the server rejects. False: all requests are translated, because the wire differs. Default: `{}`.
   */
  readonly native?: PerModel<Pick<NativeImages, 'json' | 'stream' | 'lacks'> | false> | undefined
  /** Field for the size: `size` (default), `image_size` with the same value, or `width` and `height`. */
  readonly size?: 'size' | 'image_size' | 'width-height' | undefined
  /** Value of `response_format` that requests base64. Default: the field is not sent. */
  readonly base64?: 'b64_json' | 'base64' | undefined
  /** Names of fields that differ: `{ n: 'num_images', seed: 'random_seed' }`. */
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Field of JSON requests with images; default `images`, a list of URLs. */
  readonly images?: ((images: readonly ImageInput[]) => Json) | undefined
  /** Usage of a response. Default: tokens in OpenAI's shape; without them the gateway counts images. */
  readonly usage?: ((body: Json, input: ImagesRequest) => Usage | undefined) | undefined
}

/**
 * Support for `POST /images/generations` and `/images/edits` in OpenAI's wire.
 * @example const provider = { baseUrl, credential, images: imagesSupport({ can: { n: 4, sizes: 'any' } }) }
 * @see https://platform.openai.com/docs/api-reference/images
 */
export function imagesSupport(
  options: ImagesOptions,
  headers: Readonly<Record<string, string>> = {},
  above: (model: string) => string = () => '',
  query = '',
): ImagesSupport {
  const { path = '/images/generations', edits, can, native = {}, usage } = options
  const generationsOf = (model: string): string => `${above(model)}${forModel(path, model)}${query}`
  const editsOf = (model: string): string | undefined => {
    const own = forModel(edits, model)
    return own === undefined ? undefined : `${above(model)}${own}${query}`
  }
  return {
    can,
    native(model) {
      const own = typeof native === 'function' ? native(model) : native
      return own === false
        ? undefined
        : Object.assign({ generations: generationsOf(model), edits: editsOf(model), headers }, own)
    },
    request(input, { model }) {
      const takes = forModel(can, model)?.takes ?? 'files'
      const isEdit = input.images.length > 0
      const url = (isEdit ? editsOf(model) : undefined) ?? generationsOf(model)
      const fields = fieldsOf(input, options)
      const body: Body =
        isEdit && takes === 'files'
          ? { form: formOf(input, fields) }
          : { json: isEdit ? { ...fields, ...imagesIn(input, options) } : fields }
      return { method: 'POST', url, headers, body }
    },
    response: (answer, input) => readImages(answer, input, usage),
  }
}

/** Fields of a request besides its images. */
function fieldsOf(input: ImagesRequest, { size: kind = 'size', base64, rename = {} }: ImagesOptions): Json {
  const { size } = input
  const pixels = size && `${size.width}x${size.height}`
  const named: Readonly<Record<string, unknown>> = {
    model: input.model,
    prompt: input.prompt,
    n: input.n > 1 ? input.n : undefined,
    ...(kind === 'width-height' ? { width: size?.width, height: size?.height } : { [kind]: pixels }),
    aspect_ratio: input.ratio,
    resolution: input.resolution,
    quality: input.quality,
    background: input.background,
    output_format: input.format,
    output_compression: input.compression,
    seed: input.seed,
    negative_prompt: input.negative,
    user: input.user,
    response_format: base64,
  }
  const fields: Json = {}
  for (const [name, value] of [...Object.entries(named), ...Object.entries(input.more)])
    if (value !== undefined) fields[rename[name] ?? name] = value
  return fields
}

function imagesIn({ images, mask }: ImagesRequest, { images: write }: ImagesOptions): Json {
  const urls = images.flatMap((image) => ('url' in image ? image.url : []))
  const written = write ? write(images) : { images: urls.map((url) => ({ image_url: url })) }
  return mask && 'url' in mask ? { ...written, mask: { image_url: mask.url } } : written
}

function formOf({ images, mask }: ImagesRequest, fields: Json): readonly FormPart[] {
  const file = (name: string, image: ImageInput): FormPart[] =>
    'content' in image ? [{ name, value: image.content, filename: image.name, type: image.type }] : []
  return [
    ...Object.entries(fields).map(([name, value]): FormPart => ({ name, value: textOf(value) })),
    ...images.flatMap((image) => file(images.length > 1 ? 'image[]' : 'image', image)),
    ...(mask ? file('mask', mask) : []),
  ]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readImages(
  { body }: HttpResponse,
  input: ImagesRequest,
  usage: ImagesOptions['usage'] = imageTokens,
): ImagesResponse {
  const answer = isObject(body) ? body : {}
  const entries = objects(answer['data'])
  const images = entries.flatMap(({ b64_json, base64, url, revised_prompt, media_type }): MadeImage[] => {
    const inline = text(b64_json) ?? text(base64)
    const link = text(url)
    const image = { revised: text(revised_prompt), type: text(media_type) }
    if (inline) return [{ base64: inline, ...image }]
    return link ? [{ url: link, ...image }] : []
  })
  if (images.length === 0)
    throw new HeadgateError('upstream', 'The provider returned no images: its response has no `data` with them.')
  return { images, model: text(answer['model']), usage: usage(answer, input) }
}
