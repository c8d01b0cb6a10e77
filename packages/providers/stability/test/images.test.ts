import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { stability } from '../src/index.ts'

/** Responses are written from https://platform.stability.ai/docs/api-reference#tag/Generate. */
const provider = stability({ apiKey: 'k' })
const made = { json: { image: 'iVBO', finish_reason: 'SUCCESS', seed: 1 } }
const image = { name: 'cat.png', type: 'image/png', content: { size: 3, read: async function* () {} } }

describe('Images of Stability AI', () => {
  it('are a form without files', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model: 'stable-image-core', ratio: '16:9', seed: 0, negative: 'dogs', format: 'webp' },
      [made],
    )
    expect(sent).toMatchObject([
      { url: '/v2beta/stable-image/generate/core', headers: { accept: 'application/json' }, json: undefined },
    ])
    expect(sent[0]?.form).toEqual([
      ['prompt', 'a cat'],
      ['aspect_ratio', '16:9'],
      ['seed', '0'],
      ['negative_prompt', 'dogs'],
      ['output_format', 'webp'],
    ])
    expect(result).toEqual({ images: [{ base64: 'iVBO' }], usage: { input: 0, output: 0, units: { images: 1 } } })
  })

  it('of Stable Diffusion name the model, and have no ratio besides an image', () => {
    const [text] = imagesExchange(provider, { model: 'sd3.5-large', ratio: '1:1' }).sent
    expect(text).toMatchObject({ url: '/v2beta/stable-image/generate/sd3' })
    expect(text?.form).toEqual([
      ['prompt', 'a cat'],
      ['model', 'sd3.5-large'],
      ['aspect_ratio', '1:1'],
    ])
    const [edit] = imagesExchange(provider, { model: 'sd3.5-large', ratio: '1:1', images: [image] }).sent
    expect(edit?.form).toEqual([
      ['prompt', 'a cat'],
      ['model', 'sd3.5-large'],
      ['mode', 'image-to-image'],
      ['strength', '0.5'],
      ['image', 'cat.png'],
    ])
    const [ultra] = imagesExchange(provider, {
      model: 'stable-image-ultra',
      images: [image],
      more: { strength: 0 },
    }).sent
    expect(ultra?.form).toContainEqual(['strength', '0'])
  })

  it('that are filtered have status 200', () => {
    const json = { image: 'iVBO', finish_reason: 'CONTENT_FILTERED', seed: 1 }
    const { result } = imagesExchange(provider, { model: 'stable-image-core' }, [{ json }])
    expect(result?.images).toEqual([])
    expect(result?.blocked).toBeTruthy()
  })

  it.each([
    [403, 'content_moderation', 'content-policy'],
    [402, 'payment_required', 'our-quota'],
  ])('read the error %i', (status, name, kind) => {
    const answers = [{ json: { id: 'a', name, errors: ['no'] }, status }]
    expect(() => imagesExchange(provider, { model: 'stable-image-core' }, answers)).toThrow(
      expect.objectContaining({ kind }),
    )
  })

  it('have prices', () => {
    const priceOf = (model: string) => provider.known?.find(({ id }) => id === model)?.price?.units?.['images']
    expect(priceOf('sd3.5-large')).toBe(65_000_000_000_000)
    expect(priceOf('stable-image-core')).toBe(30_000_000_000_000)
  })
})
