import {
  type ImagesAbilities,
  type ImagesSupport,
  imagePart,
  type ModelFacts,
  object,
  objects,
  sizeText,
  text,
  textParts,
  unitUsage,
} from '@headgate/core/provider'

const QUALITIES: Readonly<Record<string, string>> = { low: 'TURBO', medium: 'DEFAULT', high: 'QUALITY' }

const third: ImagesAbilities = {
  n: 8,
  ratios: '1:1 1:3 3:1 1:2 2:1 9:16 16:9 10:16 16:10 2:3 3:2 3:4 4:3 4:5 5:4'.split(' '),
  qualities: Object.keys(QUALITIES),
  seed: true,
  negative: true,
  images: 1,
  mask: 'black',
  more: ['style_type', 'style_codes', 'style_preset', 'magic_prompt', 'image_weight'],
}
const fourth: ImagesAbilities = {
  sizes: [
    ...['2048x2048', '1440x2880', '2880x1440', '1664x2496', '2496x1664', '1792x2240', '2240x1792', '1440x2560'],
    ...['2560x1440', '1600x2560', '2560x1600', '1728x2304', '2304x1728', '1296x3168', '3168x1296'],
  ],
  qualities: Object.keys(QUALITIES),
  more: ['enable_copyright_detection'],
}

function isThird(model: string): boolean {
  return model.startsWith('ideogram-v3')
}

function speedOf(quality: string | undefined): string {
  return QUALITIES[quality ?? ''] ?? 'DEFAULT'
}

/**
 * Images. The quality is the rendering speed, which determines the price. Unsafe images have no URL. A request with a
 * mask, which is black where the image changes, is an inpainting; other requests with an image are remixes.
 * @see https://developer.ideogram.ai/api-reference/api-reference/generate-v3
 * @see https://developer.ideogram.ai/v1/api-reference/edit-images/inpaint-v3
 * @see https://developer.ideogram.ai/api-reference
 */
export const images: ImagesSupport = {
  can: (model) => (isThird(model) ? third : fourth),
  request({ model, prompt, n, size, ratio, quality, seed, negative, images: given, mask, more }, call) {
    const [image] = given
    const lost = Object.entries(mask ? { aspect_ratio: ratio, negative_prompt: negative } : {})
    for (const [name, value] of lost) if (value !== undefined) call.lose(name, 'an inpainting has no such field')
    const url = `/v1/${encodeURIComponent(model)}/${mask ? 'inpaint' : image ? 'remix' : 'generate'}`
    const speed = { rendering_speed: speedOf(quality) }
    if (!isThird(model))
      return {
        method: 'POST',
        url,
        body: { json: { ...more, text_prompt: prompt, resolution: sizeText(size), ...speed } },
      }
    const fields = textParts({
      ...more,
      prompt,
      num_images: n,
      // An inpainted image has the size of the given one.
      aspect_ratio: mask ? undefined : ratio?.replace(':', 'x'),
      seed,
      negative_prompt: mask ? undefined : negative,
      ...speed,
    })
    const files = [...(image ? [imagePart('image', image)] : []), ...(mask ? [imagePart('mask', mask)] : [])]
    return { method: 'POST', url, body: { form: [...fields, ...files] } }
  },
  response({ body }, { quality, prompt }) {
    const data = objects(object(body)?.['data'])
    const made = data.flatMap(({ url, prompt: used, is_image_safe: isSafe }) => {
      const [own, revised] = [text(url), text(used)]
      return own && isSafe !== false ? [{ url: own, ...(revised && revised !== prompt && { revised }) }] : []
    })
    const isBlocked = made.length === 0 && data.length > 0
    return {
      images: made,
      usage: unitUsage({ images: data.length }, speedOf(quality)),
      ...(isBlocked && { blocked: 'The safety check of Ideogram blocked every image.' }),
    }
  },
}

const source = 'developer.puter.com/tutorials/ideogram-api-pricing@2026-06'

/** Models with the prices of an image by rendering speed. */
export const models: readonly ModelFacts[] = [
  {
    id: 'ideogram-v4',
    families: ['images'],
    price: {
      id: source,
      input: 0,
      output: 0,
      variants: {
        TURBO: { images: 30_000_000_000_000 },
        DEFAULT: { images: 60_000_000_000_000 },
        QUALITY: { images: 100_000_000_000_000 },
      },
    },
  },
  {
    id: 'ideogram-v3',
    families: ['images'],
    price: {
      id: source,
      input: 0,
      output: 0,
      variants: {
        TURBO: { images: 30_000_000_000_000 },
        DEFAULT: { images: 60_000_000_000_000 },
        QUALITY: { images: 90_000_000_000_000 },
      },
    },
  },
]
