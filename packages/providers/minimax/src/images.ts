import {
  HeadgateError,
  type ImagesSupport,
  imageUrl,
  type ModelFacts,
  number,
  object,
  unitUsage,
} from '@headgate/core/provider'

/**
 * Images of image-01. The image of a request is the person to show. Images are billed by the number that succeeded.
 *
 * Errors have status 200 and a code, which `readError` reads.
 * @see https://platform.minimax.io/docs/api-reference/image-generation-t2i
 * @see https://platform.minimax.io/docs/api-reference/image-generation-i2i
 */
export const images: ImagesSupport = {
  can: {
    n: 9,
    sizes: { multiple: 8, pixels: [262_144, 4_194_304], ratio: 4, side: 2_048 },
    seed: true,
    images: 1,
    takes: 'urls',
    more: ['prompt_optimizer', 'aigc_watermark', 'style'],
  },
  request: ({ model, prompt, n, size, seed, images: given, more }) => ({
    method: 'POST',
    url: '/v1/image_generation',
    body: {
      json: {
        ...more,
        model,
        prompt,
        n,
        width: size?.width,
        height: size?.height,
        seed,
        response_format: 'base64',
        ...(given.length > 0 && {
          subject_reference: given.map((image) => ({ type: 'character', image_file: imageUrl(image) })),
        }),
      },
    },
  }),
  response({ body }) {
    const { data, metadata } = object(body) ?? {}
    const { image_base64: encoded, image_urls: urls } = object(data) ?? {}
    const made = [...textsOf(encoded).map((base64) => ({ base64 })), ...textsOf(urls).map((url) => ({ url }))]
    const { success_count: succeeded, failed_count: failed } = object(metadata) ?? {}
    if (made.length === 0 && Number(failed) > 0)
      return {
        images: [],
        blocked: 'The content policy of MiniMax blocked every image.',
        usage: unitUsage({ images: 0 }),
      }
    if (made.length === 0) throw new HeadgateError('upstream', 'MiniMax returned no image.')
    return { images: made, usage: unitUsage({ images: number(Number(succeeded)) ?? made.length }) }
  },
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && one !== '') : []
}

export const imageModels: readonly ModelFacts[] = ['image-01'].map((id) => ({ id, families: ['images'] }))
