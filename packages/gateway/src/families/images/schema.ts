import { z } from 'zod'

/** Maximum images of one request, as the vendors of this wire have it. */
export const MAX_IMAGES = 10
/** Maximum images to edit or to refer to. */
export const MAX_INPUTS = 16

const Source = z.union([
  z.string().min(1),
  z.looseObject({ url: z.string().min(1) }),
  z.looseObject({ image_url: z.union([z.string().min(1), z.looseObject({ url: z.string().min(1) })]) }),
  z.looseObject({ file_id: z.string().min(1) }),
])

const shared = {
  prompt: z.string().min(1).max(32_000),
  /** Default: the alias `image`. */
  model: z.string().min(1).nullish(),
  /** Default 1. */
  n: z.int().min(1).max(MAX_IMAGES).nullish(),
  /** `1536x1024`, a resolution such as `2K`, or `auto` (default). */
  size: z.string().max(32).nullish(),
  quality: z.string().max(32).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  /** `png`, `jpeg` or `webp`; other names are forwarded to providers with this wire. */
  output_format: z.string().max(16).nullish(),
  /** Quality of the compression, 0 to 100. */
  output_compression: z.int().min(0).max(100).nullish(),
  /** Default: `b64_json`. `url` is a link to the gateway that is valid for an hour. */
  response_format: z.enum(['url', 'b64_json']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  seed: z.int().min(-1).max(4_294_967_295).nullish(),
  negative_prompt: z.string().max(32_000).nullish(),
  /** Ratio such as `16:9`, for models that have ratios. */
  aspect_ratio: z.string().max(16).nullish(),
  /** Resolution such as `2K`, for models that have resolutions. */
  resolution: z.string().max(16).nullish(),
}

/**
 * Body of `POST /v1/images/generations`.
 * @see https://platform.openai.com/docs/api-reference/images/create
 */
export const generationsSchema = z.looseObject(shared)

/**
 * JSON body of `POST /v1/images/edits`. Forms have the same fields, with the files `image` or `image[]` and `mask`.
 * @see https://platform.openai.com/docs/api-reference/images/createEdit
 */
export const editsSchema = z.looseObject({
  ...shared,
  images: z.array(Source).min(1).max(MAX_INPUTS).nullish(),
  image: z.union([Source, z.array(Source).min(1).max(MAX_INPUTS)]).nullish(),
  mask: Source.nullish(),
})

/**
 * Body of `POST /v1/images`.
 * @see https://openrouter.ai/docs/api-reference/images
 */
export const openRouterSchema = z.looseObject({
  ...shared,
  model: z.string().min(1),
  input_references: z
    .array(z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }))
    .max(MAX_INPUTS)
    .nullish(),
})

export type EditsBody = z.output<typeof editsSchema>
export type SourceField = z.output<typeof Source>
