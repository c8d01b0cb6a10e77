import {
  HeadgateError,
  type ImagesAbilities,
  type ImagesSupport,
  imageUrl,
  isObject,
  type ModelFacts,
  madeImages,
  number,
  object,
  objects,
  sizeText,
  text,
  unitUsage,
} from '@headgate/core/provider'

const area = (least: number, most: number, ratio = 16) => ({ multiple: 1, pixels: [least, most] as const, ratio })

const fourth: ImagesAbilities = {
  sizes: area(921_600, 16_777_216),
  images: 14,
  takes: 'urls',
  more: ['watermark', 'optimize_prompt_options', 'tools'],
}
const third: ImagesAbilities = {
  sizes: area(262_144, 4_194_304),
  seed: true,
  takes: 'urls',
  more: ['watermark', 'guidance_scale'],
}

/** Abilities by the beginning of the name without vendor; the first that matches applies. */
const ABILITIES: readonly (readonly [string, ImagesAbilities])[] = [
  ['seedream-5-0', { ...fourth, sizes: area(3_686_400, 10_404_496), formats: ['png', 'jpeg'] }],
  ['seedream-4-5', { ...fourth, sizes: area(3_686_400, 16_777_216) }],
  ['seedream-3-0', third],
  ['seededit-3-0', { ...third, sizes: undefined, images: 1 }],
]

function abilitiesOf(model: string): ImagesAbilities {
  const name = model.replace(/^(doubao|dola)-/, '')
  return ABILITIES.find(([start]) => name.startsWith(start))?.[1] ?? fourth
}

/**
 * Images of Seedream. A request makes one image, since the API has no number of images. Images are billed by their
 * number, and refused ones are free.
 * @see https://www.volcengine.com/docs/82379/1541523
 * @see https://docs.byteplus.com/en/docs/ModelArk/1541523
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request({ model, prompt, size, seed, format, images: given, more }) {
    const urls = given.map(imageUrl)
    const json = {
      ...more,
      model,
      prompt,
      image: urls.length > 1 ? urls : urls[0],
      size: sizeText(size),
      seed,
      // Only these models can choose; others reject the field.
      output_format: abilitiesOf(model).formats?.includes('png') ? format : undefined,
      sequential_image_generation: abilitiesOf(model).seed ? undefined : 'disabled',
      response_format: 'b64_json',
    }
    return { method: 'POST', url: '/images/generations', body: { json } }
  },
  response({ body }) {
    const answer = isObject(body) ? body : {}
    const data = objects(answer['data'])
    const made = madeImages(answer)
    const error = object(answer['error']) ?? object(data.find((one) => isObject(one['error']))?.['error'])
    const reason = text(error?.['message']) ?? text(error?.['code'])
    const isRefused = /Sensitive|Risk/i.test(text(error?.['code']) ?? '')
    if (made.length === 0 && reason !== undefined && !isRefused) throw new HeadgateError('upstream', reason)
    const count = number(object(answer['usage'])?.['generated_images']) ?? made.length
    return {
      images: made,
      model: text(answer['model']),
      usage: unitUsage({ images: count }),
      ...(made.length === 0 && { blocked: reason }),
    }
  },
}

const source = 'docs.gogogotoken.ai, prices of BytePlus@2026-06'

/** Models with their prices on BytePlus in USD. Volcengine has prices in CNY, which are unknown here. */
export function imageModels(isBytePlus: boolean): readonly ModelFacts[] {
  const families = ['images']
  if (!isBytePlus)
    return ['5-0-260128', '5-0-lite-260128', '4-5-251128', '4-0-250828', '3-0-t2i-250415'].map((name) => ({
      id: `doubao-seedream-${name}`,
      families,
    }))
  const priced = (id: string, cents: number): ModelFacts => ({
    id,
    families,
    price: { id: source, input: 0, output: 0, units: { images: cents * 10_000_000_000_000 } },
  })
  return [
    { id: 'dola-seedream-5-0-pro-260628', families },
    { id: 'seedream-5-0-260128', families },
    priced('seedream-5-0-lite-260128', 3.5),
    priced('seedream-4-5-251128', 4),
    priced('seedream-4-0-250828', 3),
  ]
}
