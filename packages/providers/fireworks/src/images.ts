import {
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  type ImagesAbilities,
  type ImagesResponse,
  type ImagesSupport,
  imageUrl,
  isObject,
  type ModelFacts,
  type Next,
  next,
  object,
  pollDelayMs,
  text,
  unitUsage,
} from '@headgate/core/provider'

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '4:5', '5:4', '21:9', '9:21']
const any: ImagesAbilities = {
  formats: ['png', 'jpeg'],
  seed: true,
  takes: 'data',
  more: ['guidance_scale', 'num_inference_steps', 'prompt_upsampling', 'safety_tolerance'],
}

/** Models whose workflow is a task. */
function isTask(model: string): boolean {
  return model.includes('kontext')
}

function isDiffusion(model: string): boolean {
  return /stable-diffusion|playground|SSD-1B/.test(model)
}

function abilitiesOf(model: string): ImagesAbilities {
  if (isDiffusion(model))
    return { ...any, negative: true, sizes: { multiple: 8, pixels: [262_144, 1_572_864], ratio: 2.4 } }
  return isTask(model) ? { ...any, ratios: RATIOS, images: 1 } : { ...any, ratios: RATIOS }
}

function pathOf(model: string): string {
  if (isDiffusion(model)) return `/image_generation/${model}`
  return isTask(model) ? `/workflows/${model}` : `/workflows/${model}/text_to_image`
}

/**
 * Images: bytes of one image, or a task of Kontext.
 * @see https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt
 * @see https://docs.fireworks.ai/api-reference/generate-or-edit-image-using-flux-kontext
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request({ model, prompt, size, ratio, seed, negative, format, images: given, more }) {
    const [image] = given
    const shape = { width: size?.width, height: size?.height, aspect_ratio: ratio }
    const json = {
      ...more,
      prompt,
      ...shape,
      seed,
      negative_prompt: negative,
      ...(isTask(model) && { output_format: format, input_image: image && imageUrl(image) }),
    }
    const accept = isTask(model) ? 'application/json' : `image/${format ?? 'png'}`
    return { method: 'POST', url: pathOf(model), headers: { accept }, body: { json } }
  },
  response(answer, { model }, earlier) {
    if (isObject(answer.body)) return readTask(answer, model, earlier)
    const type = text(answer.headers['content-type']) ?? ''
    if (!type.startsWith('image/')) throw new HeadgateError('upstream', 'Fireworks returned no image.')
    const usage = unitUsage({ images: 1 })
    if (answer.headers['finish-reason'] === 'CONTENT_FILTERED')
      return { images: [], blocked: 'The safety filter of Fireworks blocked the image.', usage }
    return { images: [{ bytes: answer.bytes }], usage }
  },
}

function readTask(answer: HttpResponse, model: string, earlier: readonly HttpResponse[]): ImagesResponse | Next {
  const [created = answer] = earlier
  const id = text(object(created.body)?.['request_id'])
  const { status, result } = object(answer.body) ?? {}
  const sample = text(object(result)?.['sample'])
  const usage = unitUsage({ images: 1 })
  if (status === 'Ready' && sample)
    return { images: [/^https?:/.test(sample) ? { url: sample } : { base64: sample }], usage }
  if (status === 'Request Moderated' || status === 'Content Moderated') return { images: [], blocked: status, usage }
  if (!id || (earlier.length > 0 && status !== 'Pending'))
    throw new HeadgateError('upstream', `The task of Fireworks ended with the state ${text(status) ?? 'unknown'}.`)
  const poll: HttpRequest = { method: 'POST', url: `${pathOf(model)}/get_result`, body: { json: { id } } }
  return next(poll, pollDelayMs(earlier))
}

/** Models of images. They are billed by step or image; the prices are unknown here. */
export const imageModels: readonly ModelFacts[] = [
  'flux-1-schnell-fp8',
  'flux-1-dev-fp8',
  'flux-kontext-pro',
  'flux-kontext-max',
  'playground-v2-5-1024px-aesthetic',
  'stable-diffusion-xl-1024-v1-0',
].map((name) => ({ id: `accounts/fireworks/models/${name}`, families: ['images'] }))
