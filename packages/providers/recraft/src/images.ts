import {
  type ImagesAbilities,
  type ImagesSupport,
  imagePart,
  type ModelFacts,
  madeImages,
  number,
  object,
  sizeText,
  textParts,
  unitUsage,
} from '@headgate/core/provider'

/** Sizes of V4 by ratio, from `docs/api-reference/appendix`. */
const FOURTH = [
  ...['1024x1024', '1536x768', '768x1536', '1280x832', '832x1280', '1216x896', '896x1216', '1152x896', '896x1152'],
  ...['832x1344', '1280x896', '896x1280', '1344x768', '768x1344'],
]
const PRO = ['2048x2048', '3072x1536', '1536x3072', '2560x1664', '1664x2560']
const THIRD = ['1024x1024', '1365x1024', '1024x1365', '1536x1024', '1024x1536', '1820x1024', '1024x1820']

function abilitiesOf(model: string): ImagesAbilities {
  const isOld = /^recraftv[23]/.test(model)
  return {
    n: 6,
    sizes: isOld ? THIRD : model.includes('_pro') ? PRO : FOURTH,
    negative: isOld,
    images: /^recraftv(3|4_1)/.test(model) ? 1 : 0,
    mask: model.startsWith('recraftv3') ? 'white' : false,
    more: ['style', 'style_id', 'substyle', 'controls', 'text_layout', 'strength'],
  }
}

/** Distance from the image of a request, which Recraft requires: 0 = the same, 1 = free. */
const STRENGTH = 0.5

/**
 * Images in OpenAI's shape; requests with an image are forms to another path, and those with a mask to a third one.
 * Responses state the API units that they cost.
 * @see https://www.recraft.ai/docs/api-reference/endpoints
 * @see https://www.recraft.ai/docs/api-reference/tools/inpainting
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request({ model, prompt, n, size, negative, images: given, mask, more }) {
    const { strength = STRENGTH, ...others } = more
    const fields = { ...others, model, prompt, n, negative_prompt: negative, response_format: 'b64_json' }
    const [image] = given
    if (!image)
      return { method: 'POST', url: '/images/generations', body: { json: { ...fields, size: sizeText(size) } } }
    if (mask) {
      const form = [...textParts(fields), imagePart('image', image), imagePart('mask', mask)]
      return { method: 'POST', url: '/images/inpaint', body: { form } }
    }
    const form = [...textParts({ ...fields, strength }), imagePart('image', image)]
    return { method: 'POST', url: '/images/imageToImage', body: { form } }
  },
  response({ body }, { model }) {
    const type = model.endsWith('_vector') ? { type: 'image/svg+xml' } : {}
    const made = madeImages(body).map((image) => ({ ...image, ...type }))
    const credits = number(object(body)?.['credits'])
    return { images: made, usage: unitUsage(credits === undefined ? { images: made.length } : { credits }) }
  },
}

/** $0.001 a credit, by a million. */
const CREDIT = 1_000_000_000_000
const source = 'recraft.ai/docs/api-reference/pricing@2026-11-26'

/** Models with the prices of an image in credits, for responses without `credits`. */
export const models: readonly ModelFacts[] = Object.entries({
  recraftv4_1: 35,
  recraftv4_1_vector: 80,
  recraftv4_1_pro: 210,
  recraftv4_1_utility: 35,
  recraftv4_1_utility_pro: 210,
  recraftv3: 40,
  recraftv3_vector: 80,
  recraftv2: 22,
  recraftv2_vector: 44,
}).map(([id, credits]) => ({
  id,
  families: ['images'],
  price: { id: source, input: 0, output: 0, units: { credits: CREDIT, images: credits * CREDIT } },
}))
