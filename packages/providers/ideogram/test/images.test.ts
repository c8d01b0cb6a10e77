import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { ideogram } from '../src/index.ts'

/** Responses are written from https://developer.ideogram.ai/api-reference. */
const provider = ideogram({ apiKey: 'k' })
const safe = { url: 'https://ideogram.ai/api/images/a.png', prompt: 'a grey cat', is_image_safe: true, seed: 1 }
const unsafe = { url: '', prompt: 'a cat', is_image_safe: false, seed: 2 }

describe('Images of Ideogram', () => {
  it('of the third version are a form, whose rendering speed is the quality', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model: 'ideogram-v3', n: 2, ratio: '16:9', quality: 'high', seed: 0, negative: 'dogs' },
      [{ json: { created: 'now', data: [safe, unsafe] } }],
    )
    expect(sent).toMatchObject([{ url: '/v1/ideogram-v3/generate' }])
    expect(sent[0]?.form).toEqual([
      ['prompt', 'a cat'],
      ['num_images', '2'],
      ['aspect_ratio', '16x9'],
      ['seed', '0'],
      ['negative_prompt', 'dogs'],
      ['rendering_speed', 'QUALITY'],
    ])
    expect(result).toEqual({
      images: [{ url: safe.url, revised: 'a grey cat' }],
      usage: { input: 0, output: 0, units: { images: 2 }, variant: 'QUALITY' },
    })
    const variants = provider.known?.find(({ id }) => id === 'ideogram-v3')?.price?.variants
    expect(variants?.['QUALITY']).toEqual({ images: 90_000_000_000_000 })
  })

  it('of the fourth version are JSON with a resolution', () => {
    const { sent } = imagesExchange(provider, { model: 'ideogram-v4', size: { width: 2048, height: 2048 } })
    expect(sent).toMatchObject([{ url: '/v1/ideogram-v4/generate' }])
    expect(sent[0]?.json).toEqual({ text_prompt: 'a cat', resolution: '2048x2048', rendering_speed: 'DEFAULT' })
  })

  it('are remixed from an image', () => {
    const image = { name: 'cat.png', type: 'image/png', content: { size: 3, read: async function* () {} } }
    const [sent] = imagesExchange(provider, { model: 'ideogram-v3', images: [image], more: { image_weight: 80 } }).sent
    expect(sent).toMatchObject({ url: '/v1/ideogram-v3/remix' })
    expect(sent?.form).toContainEqual(['image', 'cat.png'])
    expect(sent?.form).toContainEqual(['image_weight', '80'])
  })

  it('that are all unsafe are blocked', () => {
    const { result } = imagesExchange(provider, { model: 'ideogram-v3' }, [{ json: { data: [unsafe] } }])
    expect(result?.images).toEqual([])
    expect(result?.blocked).toBeTruthy()
  })

  it.each([
    [422, 'Prompt provided failed safety check due to the inclusion of prohibited content.', 'content-policy'],
    [402, 'Payment required', 'our-quota'],
  ])('read the error %i', (status, error, kind) => {
    const answers = [{ json: { error }, status }]
    expect(() => imagesExchange(provider, { model: 'ideogram-v3' }, answers)).toThrow(expect.objectContaining({ kind }))
  })
})
