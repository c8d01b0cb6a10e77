import {
  type HttpResponse,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesResponse,
  type ImagesSupport,
  imagesSupport,
  imageUrl,
  type Json,
  type ModelFacts,
  madeImages,
  object,
  objects,
  text,
  unitUsage,
} from '@headgate/core/provider'

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '2:1', '1:2', '19.5:9', '9:19.5', '20:9', '9:20']

const can: ImagesAbilities = {
  n: 10,
  ratios: RATIOS,
  resolutions: { '1k': 1_024, '2k': 2_048 },
  images: 5,
  takes: 'urls',
}

const server = imagesSupport({
  can,
  edits: '/images/edits',
  native: false,
  base64: 'b64_json',
  images(images): Json {
    const all = images.map((image) => ({ type: 'image_url', url: imageUrl(image) }))
    return all.length === 1 ? { image: all[0] } : { images: all }
  },
})

/**
 * Images of Grok Imagine. Edits are JSON. A blocked image has `respect_moderation: false` and status 200.
 * @see https://docs.x.ai/developers/rest-api-reference/inference/images
 */
export const images: ImagesSupport = { ...server, response: readImages }

function readImages({ body }: HttpResponse, { images: inputs, resolution = '1k' }: ImagesRequest): ImagesResponse {
  const entries = objects(object(body)?.['data'])
  const passed = entries.filter((entry) => entry['respect_moderation'] !== false)
  const made = madeImages({ data: passed })
  const billed = made.length
  const usage = unitUsage({ images: billed, inputImages: inputs.length || undefined }, resolution)
  const isBlocked = billed === 0 && passed.length < entries.length
  return {
    images: made,
    // Whether blocked images are billed is not documented.
    usage: isBlocked ? undefined : usage,
    model: text(object(body)?.['model']),
    ...(isBlocked && { blocked: 'The image was blocked by content moderation.' }),
  }
}

const source = 'x.ai/pricing@2026-11-23'

/** Models of images: $0.05 for 1k, $0.07 for 2k, $0.01 for each image to edit. */
export const imageModels: readonly ModelFacts[] = [
  {
    id: 'grok-imagine-image-quality',
    families: ['images'],
    price: {
      id: source,
      input: 0,
      output: 0,
      units: { inputImages: 10_000_000_000_000 },
      variants: { '1k': { images: 50_000_000_000_000 }, '2k': { images: 70_000_000_000_000 } },
    },
  },
  { id: 'grok-imagine-image', families: ['images'] },
]
