import {
  HeadgateError,
  type HttpResponse,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesResponse,
  type ImagesSupport,
  imageUrl,
  type Json,
  type ModelFacts,
  type Next,
  next,
  number,
  object,
  objects,
  pollDelayMs,
  text,
  unitUsage,
} from '@headgate/core/provider'

interface ImageEndpoint {
  readonly id: string
  /** Path below the id for requests with images. Default: the same endpoint. */
  readonly edit?: string
  /** Name of the images; default `image_urls`, a list. */
  readonly input?: 'image_url'
  readonly can: ImagesAbilities
  /** Unit of the bill. */
  readonly unit: 'images' | 'pixels'
  /** US cents of an image. */
  readonly cents?: number
}

const any: ImagesAbilities = {
  n: 4,
  sizes: { multiple: 16, pixels: [262_144, 4_194_304], ratio: 4 },
  seed: true,
  formats: ['png', 'jpeg'],
  takes: 'urls',
  more: [
    'guidance_scale',
    'num_inference_steps',
    'enable_safety_checker',
    'safety_tolerance',
    'enable_prompt_expansion',
  ],
}
const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9']

/** Known models. The page `fal.ai/models/<id>/llms.txt` has the inputs and the price of each. */
const MODELS: readonly ImageEndpoint[] = [
  { id: 'fal-ai/flux-1/schnell', can: { ...any, images: 0 }, unit: 'pixels' },
  { id: 'fal-ai/flux/schnell', can: { ...any, images: 0 }, unit: 'pixels' },
  {
    id: 'fal-ai/flux/dev',
    edit: '/image-to-image',
    input: 'image_url',
    can: { ...any, images: 1 },
    unit: 'pixels',
  },
  { id: 'fal-ai/flux-2-pro', edit: '/edit', can: { ...any, n: 1, images: 8 }, unit: 'pixels' },
  { id: 'fal-ai/flux-2', edit: '/edit', can: { ...any, images: 4 }, unit: 'pixels' },
  {
    id: 'fal-ai/qwen-image-2/text-to-image',
    can: { ...any, negative: true, images: 0 },
    unit: 'images',
    cents: 3.5,
  },
  {
    id: 'google/nano-banana-2.1',
    edit: '/edit',
    can: {
      n: 4,
      ratios: RATIOS,
      resolutions: { '1K': 1_024, '2K': 2_048, '4K': 4_096 },
      formats: ['png', 'jpeg', 'webp'],
      images: 14,
      takes: 'urls',
    },
    unit: 'images',
  },
  { id: 'ideogram/v4', can: { ...any, images: 0 }, unit: 'pixels' },
]

function imageEndpointOf(model: string): ImageEndpoint {
  const isEdit = /\/edit$|kontext/.test(model)
  const usual: ImageEndpoint = {
    id: model,
    ...(!isEdit && { input: 'image_url' }),
    can: { ...any, images: isEdit ? 8 : 1 },
    unit: 'images',
  }
  return MODELS.find(({ id }) => id === model) ?? usual
}

function inputOf(
  { prompt, n, size, ratio, resolution, seed, negative, format, images, more }: ImagesRequest,
  own: ImageEndpoint,
) {
  const urls = images.map(imageUrl)
  const pictures = own.input === 'image_url' ? { image_url: urls[0] } : { image_urls: urls }
  return {
    ...more,
    prompt,
    num_images: n,
    image_size: size,
    aspect_ratio: ratio,
    resolution,
    seed,
    negative_prompt: negative,
    output_format: format,
    ...(urls.length > 0 && pictures),
  }
}

/**
 * Images through the queue. Images that the safety checker blackens are left out; they are billed.
 * @see https://fal.ai/docs/api-reference/inference-api
 */
export const images: ImagesSupport = {
  can: (model) => imageEndpointOf(model).can,
  request(input) {
    const own = imageEndpointOf(input.model)
    const path = input.images.length > 0 ? (own.edit ?? '') : ''
    return { method: 'POST', url: `/${own.id}${path}`, body: { json: inputOf(input, own) } }
  },
  response(answer, { model }, earlier) {
    const [created = answer] = earlier
    const task = object(created.body) ?? {}
    const { status, images: made, image } = object(answer.body) ?? {}
    if (made !== undefined || image !== undefined) return resultOf(answer, imageEndpointOf(model))
    const url = pathOf(task[status === 'COMPLETED' ? 'response_url' : 'status_url'])
    if (!url) throw new HeadgateError('upstream', 'fal accepted the task, but its response has no URL for it.')
    return next({ method: 'GET', url }, status === 'COMPLETED' ? 0 : pollDelayMs(earlier))
  },
  cancel([created]) {
    const url = pathOf(object(created?.body)?.['cancel_url'])
    return url === undefined ? undefined : { method: 'PUT', url }
  },
}

/** Path below the base URL. The base URL can be a proxy, and the credential must not be sent to another host. */
function pathOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined
}

function resultOf({ body }: HttpResponse, { unit }: ImageEndpoint): ImagesResponse | Next {
  const answer = object(body) ?? {}
  const single = object(answer['image'])
  const all = single ? [single] : objects(answer['images'])
  const flagged = [answer['has_nsfw_concepts'], answer['nsfw_content_detected']].find(Array.isArray) ?? []
  const made = all.flatMap((one, index) => {
    const url = text(one['url'])
    return url && flagged[index] !== true ? [{ url }] : []
  })
  const pixels = all.map(pixelsIn).reduce<number | undefined>((sum, one) => addKnown(sum, one), 0)
  return {
    images: made,
    usage: unit === 'pixels' && pixels ? unitUsage({ pixels }) : unitUsage({ images: all.length }),
    ...(made.length === 0 && all.length > 0 && { blocked: 'The safety checker of fal blocked every image.' }),
  }
}

function pixelsIn({ width, height }: Json): number | undefined {
  const [wide, high] = [number(width), number(height)]
  return wide === undefined || high === undefined ? undefined : wide * high
}

function addKnown(sum: number | undefined, one: number | undefined): number | undefined {
  return sum === undefined || one === undefined ? undefined : sum + one
}

export const imageModels: readonly ModelFacts[] = MODELS.map(({ id, cents }) => ({
  id,
  families: ['images'],
  ...(cents !== undefined && {
    price: {
      id: `fal.ai/models/${id}/llms.txt@2026-11-26`,
      input: 0,
      output: 0,
      units: { images: cents * 10_000_000_000_000 },
    },
  }),
}))
