import {
  type ImagesAbilities,
  type ImagesSupport,
  imageUrl,
  madeImages,
  object,
  text,
  unitUsage,
} from '@headgate/core/provider'

const shared: ImagesAbilities = {
  n: 4,
  sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 },
  formats: ['png', 'jpeg'],
  seed: true,
  negative: true,
  takes: 'urls',
  more: ['steps', 'guidance_scale', 'disable_safety_checker', 'image_loras'],
}

function abilitiesOf(model: string): ImagesAbilities {
  if (/FLUX\.2/i.test(model)) return { ...shared, n: 1, images: 8 }
  return /kontext|redux|canny|depth|edit/i.test(model) ? { ...shared, n: 1, images: 1 } : shared
}

/** Width and height of an image without a size. */
const SIDE = 1_024

/**
 * Images. FLUX.2 has references, other models one image. The price is by the pixels.
 * @see https://docs.together.ai/reference/post-images-generations
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request({ model, prompt, n, size, seed, negative, format, images: given, more }) {
    const urls = given.map(imageUrl)
    const json = {
      ...more,
      model,
      prompt,
      n,
      width: size?.width,
      height: size?.height,
      seed,
      negative_prompt: negative,
      output_format: format,
      response_format: 'base64',
      ...(urls.length > 0 && (/FLUX\.2/i.test(model) ? { reference_images: urls } : { image_url: urls[0] })),
    }
    return { method: 'POST', url: '/images/generations', body: { json } }
  },
  response({ body }, { size }) {
    const made = madeImages(body)
    const pixels = made.length * (size?.width ?? SIDE) * (size?.height ?? SIDE)
    return { images: made, model: text(object(body)?.['model']), usage: unitUsage({ pixels }) }
  },
}
