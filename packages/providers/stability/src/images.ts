import {
  type FormPart,
  HeadgateError,
  type ImagesAbilities,
  type ImagesSupport,
  imagePart,
  type ModelFacts,
  object,
  text,
  textParts,
  unitUsage,
} from '@headgate/core/provider'

const any: ImagesAbilities = {
  ratios: ['1:1', '16:9', '9:16', '21:9', '9:21', '3:2', '2:3', '5:4', '4:5'],
  formats: ['png', 'jpeg', 'webp'],
  seed: true,
  negative: true,
  more: ['style_preset', 'strength', 'cfg_scale'],
}

/** Paths by model, with abilities. Stable Diffusion is one path with the name of the model. */
const MODELS: Readonly<Record<string, readonly [path: string, can: ImagesAbilities]>> = {
  'stable-image-ultra': ['ultra', { ...any, images: 1 }],
  'stable-image-core': ['core', any],
}
const DIFFUSION: readonly [path: string, can: ImagesAbilities] = [
  'sd3',
  { ...any, formats: ['png', 'jpeg'], images: 1 },
]

function modelOf(model: string): readonly [path: string, can: ImagesAbilities] {
  return Object.hasOwn(MODELS, model) ? (MODELS[model] ?? DIFFUSION) : DIFFUSION
}

/** Distance from the image of a request, which the API requires: 0 = the same, 1 = free. */
const STRENGTH = 0.5

/**
 * Images: always a form, also without a file, and always one image. Filtered images have status 200.
 * @see https://platform.stability.ai/docs/api-reference#tag/Generate
 */
export const images: ImagesSupport = {
  can: (model) => modelOf(model)[1],
  request({ model, prompt, ratio, seed, negative, format, images: given, more }) {
    const [path] = modelOf(model)
    const [image] = given
    const { strength = STRENGTH, ...others } = more
    const isDiffusion = path === 'sd3'
    const form: FormPart[] = textParts({
      ...others,
      prompt,
      model: isDiffusion ? model : undefined,
      mode: isDiffusion && image ? 'image-to-image' : undefined,
      // The result has the ratio of the image.
      aspect_ratio: isDiffusion && image ? undefined : ratio,
      strength: image ? strength : undefined,
      seed,
      negative_prompt: negative,
      output_format: format,
    })
    return {
      method: 'POST',
      url: `/v2beta/stable-image/generate/${path}`,
      headers: { accept: 'application/json' },
      body: { form: image ? [...form, imagePart('image', image)] : form },
    }
  },
  response({ body }) {
    const { image, finish_reason: reason } = object(body) ?? {}
    const base64 = text(image)
    const usage = unitUsage({ images: 1 })
    if (reason === 'CONTENT_FILTERED')
      return { images: [], blocked: 'The safety filter of Stability AI blocked the image.', usage }
    if (!base64) throw new HeadgateError('upstream', `Stability AI returned no image: ${text(reason) ?? 'no reason'}.`)
    return { images: [{ base64 }], usage }
  },
}

const source = 'developer.puter.com/tutorials/stability-ai-api-pricing@2026-06'

/** Models with the prices of an image in US cents, which are credits. */
export const models: readonly ModelFacts[] = Object.entries({
  'stable-image-ultra': 8,
  'stable-image-core': 3,
  'sd3.5-large': 6.5,
  'sd3.5-large-turbo': 4,
  'sd3.5-medium': 3.5,
}).map(([id, cents]) => ({
  id,
  families: ['images'],
  price: { id: source, input: 0, output: 0, units: { images: cents * 10_000_000_000_000 } },
}))
