import {
  HeadgateError,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesSupport,
  imageUrl,
  type Json,
  type ModelFacts,
  next,
  object,
  pollDelayMs,
  refusalIn,
  sizeText,
  text,
  unitUsage,
} from '@headgate/core/provider'

interface ModelInputs {
  readonly can: ImagesAbilities
  /**
   * Name of the images: `image`, a list `image_input`, or numbered names `input_image`, `input_image_2`. Default:
   * `image`.
   */
  readonly input?: 'image_input' | 'input_image' | 'image_prompt'
}

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21']
const any: ImagesAbilities = { ratios: RATIOS, seed: true, takes: 'urls', more: ['guidance', 'num_inference_steps'] }
const flux: ImagesAbilities = { ...any, n: 4, formats: ['png', 'jpeg', 'webp'], compression: true }

/** Models by the beginning of their name; the first that matches applies. */
const MODELS: readonly (readonly [string, ModelInputs])[] = [
  ['black-forest-labs/flux-schnell', { can: flux }],
  ['black-forest-labs/flux-dev', { can: { ...flux, images: 1 } }],
  ['black-forest-labs/flux-2-', { can: { ...flux, n: 1, images: 8 }, input: 'input_image' }],
  ['black-forest-labs/flux-kontext-', { can: { ...any, formats: ['png', 'jpeg'], images: 1 }, input: 'input_image' }],
  ['black-forest-labs/flux-1.1-pro', { can: { ...flux, n: 1, images: 1 }, input: 'image_prompt' }],
  ['google/nano-banana', { can: { ...any, seed: false, formats: ['png', 'jpeg'], images: 14 }, input: 'image_input' }],
  ['bytedance/seedream-4', { can: { ...any, seed: false, images: 10 }, input: 'image_input' }],
  [
    'recraft-ai/recraft-v3',
    {
      can: {
        takes: 'urls',
        sizes: ['1024x1024', '1365x1024', '1024x1365', '1536x1024', '1024x1536', '1820x1024', '1024x1820'],
      },
    },
  ],
  ['stability-ai/stable-diffusion-3.5', { can: { ...any, formats: ['png', 'jpeg', 'webp'], images: 1 } }],
]
const USUAL: ModelInputs = { can: { ...any, images: 1 } }

function inputsOf(model: string): ModelInputs {
  return MODELS.find(([start]) => model.startsWith(start))?.[1] ?? USUAL
}

function inputOf(request: ImagesRequest): Json {
  const { prompt, n, size, ratio, seed, format, compression, images, more } = request
  const { can, input = 'image' } = inputsOf(request.model)
  const urls = images.map(imageUrl)
  const pictures: Json = input === 'image_input' && urls.length > 0 ? { image_input: urls } : {}
  if (input !== 'image_input')
    for (const [index, url] of urls.entries()) pictures[index === 0 ? input : `${input}_${index + 1}`] = url
  return {
    ...more,
    prompt,
    aspect_ratio: ratio,
    size: sizeText(size),
    seed,
    num_outputs: (can.n ?? 1) > 1 ? n : undefined,
    output_format: format === 'jpeg' ? 'jpg' : format,
    output_quality: compression,
    ...pictures,
  }
}

/**
 * Images as predictions. The provider keeps its files for an hour.
 * @see https://replicate.com/docs/reference/http#predictions.create
 */
export const images: ImagesSupport = {
  can: (model) => inputsOf(model).can,
  request(request) {
    const [bare = '', version] = request.model.split(':')
    const path = bare.split('/').map(encodeURIComponent).join('/')
    return {
      method: 'POST',
      url: version === undefined ? `/models/${path}/predictions` : '/predictions',
      headers: { prefer: 'wait=60' },
      body: { json: { ...(version !== undefined && { version }), input: inputOf(request) } },
    }
  },
  response({ body }, _request, earlier) {
    const { id, status, output, error } = object(body) ?? {}
    if (status === 'starting' || status === 'processing')
      return next({ method: 'GET', url: `/predictions/${encodeURIComponent(String(id))}` }, pollDelayMs(earlier))
    const urls = [output].flat().flatMap((url) => (typeof url === 'string' ? [{ url }] : []))
    if (urls.length > 0) return { images: urls, usage: unitUsage({ images: urls.length }) }
    const reason = text(error) || `The prediction ended with the state ${text(status) ?? 'unknown'} and no image.`
    if (refusalIn(reason)) return { images: [], blocked: reason, usage: unitUsage({ images: 0 }) }
    throw new HeadgateError('upstream', reason)
  },
  // A failed prediction has the status 200 and an `error`.
  reads: ({ body }) => object(body)?.['status'] === 'failed',
  cancel([created]) {
    const id = text(object(created?.body)?.['id'])
    return id ? { method: 'POST', url: `/predictions/${encodeURIComponent(id)}/cancel` } : undefined
  },
}

/** Models with known inputs. Replicate's prices differ by model and are unknown here. */
export const imageModels: readonly ModelFacts[] = [
  'black-forest-labs/flux-2-pro',
  'black-forest-labs/flux-1.1-pro',
  'black-forest-labs/flux-kontext-pro',
  'black-forest-labs/flux-dev',
  'black-forest-labs/flux-schnell',
  'google/nano-banana',
  'bytedance/seedream-4',
  'recraft-ai/recraft-v3',
  'stability-ai/stable-diffusion-3.5-large',
].map((id) => ({ id, families: ['images'] }))
