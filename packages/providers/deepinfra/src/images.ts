import {
  type ImagesAbilities,
  type ImagesSupport,
  imagePart,
  type ModelFacts,
  madeImages,
  sizeText,
  textParts,
  unitUsage,
} from '@headgate/core/provider'

const shared: ImagesAbilities = { n: 4, sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 } }

function abilitiesOf(model: string): ImagesAbilities {
  return /kontext|edit|FLUX-2/i.test(model) ? { ...shared, images: 1 } : shared
}

/**
 * Images in OpenAI's shape, always as base64; edits are forms.
 * @see https://deepinfra.com/black-forest-labs/FLUX-1-schnell/api
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request({ model, prompt, n, size, images: given }) {
    const fields = { model, prompt, n, size: sizeText(size), response_format: 'b64_json' }
    if (given.length === 0) return { method: 'POST', url: '/images/generations', body: { json: fields } }
    const form = [...textParts(fields), ...given.map((image) => imagePart('image', image))]
    return { method: 'POST', url: '/images/edits', body: { form } }
  },
  response({ body }) {
    const made = madeImages(body)
    return { images: made, usage: unitUsage({ images: made.length }) }
  },
}

/** Models of images. The price is by size and steps, and responses state no steps, so it is unknown. */
export const imageModels: readonly ModelFacts[] = [
  'black-forest-labs/FLUX-1-schnell',
  'black-forest-labs/FLUX-1-dev',
  'black-forest-labs/FLUX-2-dev',
  'black-forest-labs/FLUX-1.1-pro',
  'black-forest-labs/FLUX.1-Kontext-dev',
  'stabilityai/sd3.5',
].map((id) => ({ id, families: ['images'] }))
