import {
  defineProvider,
  endpoint,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesSupport,
  imagesSupport,
  type Provider,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, type ImagesFacts, type ProviderFacts, testProvider } from '../src/index.ts'
import { KEY } from './adapters.ts'

const CONFIG = z.strictObject(endpoint('https://images.example'))
type Config = z.input<typeof CONFIG>

const CAN: ImagesAbilities = {
  n: 2,
  sizes: ['1024x1024', '1536x1024'],
  qualities: ['low', 'high'],
  formats: ['png', 'webp'],
  seed: true,
  negative: true,
  images: 3,
  mask: true,
}

const serverOf = (can: ImagesAbilities): ImagesSupport =>
  imagesSupport({ path: '/v1/images/generations', edits: '/v1/images/edits', can, native: false })
const right = serverOf(CAN)

/** An adapter of a vendor with OpenAI's shape, with a deviation. */
function example(
  support: Partial<ImagesSupport> = {},
  can: Partial<ImagesAbilities> = {},
  more: Partial<Provider> = {},
) {
  return defineProvider({ id: 'example', title: 'Example', config: CONFIG, env: {} }, ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-key', value: apiKey },
    images: { ...serverOf({ ...CAN, ...can }), ...support },
    ...more,
  }))
}

function factsOf(images: Partial<ImagesFacts> = {}): ProviderFacts<Config> {
  return {
    config: { apiKey: KEY },
    upstream: { credential: { header: 'x-key', value: KEY } },
    images: {
      model: 'brush-1',
      paths: ['/v1/images/generations', '/v1/images/edits'],
      can: CAN,
      counts: 'tokens',
      ...images,
    },
  }
}

/** What the kit says about a deviation. */
async function findings(
  support: Partial<ImagesSupport>,
  can: Partial<ImagesAbilities> = {},
  images: Partial<ImagesFacts> = {},
): Promise<string> {
  const found = await examine(example(support, can), factsOf(images))
  return found.map(({ message }) => message).join('\n')
}

/** The right request with other input. */
const altered = (change: (input: ImagesRequest) => ImagesRequest): Pick<ImagesSupport, 'request'> => ({
  request: (input, call) => right.request(change(input), call),
})

testProvider(example(), factsOf())

describe('An adapter of images fails the kit, which says what to fix, when it', () => {
  it('asks at the wrong path', async () => {
    expect(await findings(imagesSupport({ can: CAN, native: false }))).toMatch('fix `images.request`')
  })

  it('sends a field that the vendor does not know', async () => {
    expect(await findings(altered((input) => ({ ...input, more: { steps: 4 } })))).toMatch('unknown fields: steps')
  })

  it('sends another prompt', async () => {
    expect(await findings(altered((input) => ({ ...input, prompt: input.prompt.slice(1) })))).toMatch('The vendor read')
  })

  it('asks for more images than the vendor makes', async () => {
    expect(await findings({}, { n: 4 })).toMatch('3 images in one request, 2 at most')
  })

  it('asks for one image at a time although the vendor makes more', async () => {
    expect(await findings({}, { n: 1 })).toMatch('fix `n` in `images.can`')
  })

  it('drops the number of images', async () => {
    expect(await findings(altered((input) => ({ ...input, n: 1 })))).toMatch('For n = 2, callers get 1 images')
  })

  it('promises a quality that the vendor does not have', async () => {
    expect(await findings({}, { qualities: ['low', 'high', 'no-such-quality'] })).toMatch(
      'For `quality: no-such-quality`',
    )
  })

  it('drops a seed of zero', async () => {
    expect(await findings(altered((input) => ({ ...input, seed: input.seed || undefined })))).toMatch('For `seed: 0`')
  })

  it('drops what the image should not show', async () => {
    expect(await findings(altered((input) => ({ ...input, negative: undefined })))).toMatch('For `negative_prompt')
  })

  it('drops the format', async () => {
    expect(await findings(altered((input) => ({ ...input, format: undefined })))).toMatch('For `output_format: png`')
  })

  it('sends one size for all', async () => {
    expect(await findings(altered((input) => ({ ...input, size: { width: 1024, height: 1024 } })))).toMatch(
      'For {"size":"1536x1024"}',
    )
  })

  it('promises any size', async () => {
    expect(await findings({}, { sizes: 'any' })).toMatch('For {"size":"1777x1003"}')
  })

  it('edits only the first image', async () => {
    expect(await findings(altered((input) => ({ ...input, images: input.images.slice(0, 1) })))).toMatch(
      'For 2 images to edit, the vendor got 1',
    )
  })

  it('sends images in another order', async () => {
    expect(await findings(altered((input) => ({ ...input, images: input.images.toReversed() })))).toMatch(
      'in another order',
    )
  })

  it('promises more images to edit than the vendor takes', async () => {
    expect(await findings({}, { images: 4 })).toMatch('For 4 images to edit')
  })

  it('drops the mask', async () => {
    expect(await findings(altered(({ mask: _, ...input }) => input))).toMatch('For a mask')
  })

  it('does not read the tokens', async () => {
    expect(
      await findings({
        response: (answer, input, earlier) =>
          ({ ...right.response(answer, input, earlier), usage: undefined }) as never,
      }),
    ).toMatch('fix `usage` of `images.response`')
  })

  it('takes a blocked image for a failure of the provider', async () => {
    expect(await findings({}, {}, { blocked: () => ({ data: [], blocked: true }) })).toMatch('For a blocked image')
  })

  it('takes a response without images for a success', async () => {
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABc3UBGAAAAABJRU5ErkJggg=='
    expect(await findings({ response: () => ({ images: [{ base64 }] }) })).toMatch('For a response without images')
  })
})
