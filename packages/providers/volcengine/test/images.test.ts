import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { volcengine } from '../src/index.ts'

/** Responses are written from the types of volcengine-python-sdk and https://www.volcengine.com/docs/82379/1541523. */
const ark = volcengine({ apiKey: 'k' })
const model = 'doubao-seedream-4-5-251128'

describe('Images of Volcengine', () => {
  it('are one per request, at a size in pixels, with references', () => {
    const images = [{ url: 'https://a.example/1.png' }, { url: 'data:image/png;base64,AQID' }]
    const { sent, result } = imagesExchange(
      ark,
      { model, size: { width: 2560, height: 1440 }, images, more: { watermark: false } },
      [
        {
          json: {
            model,
            data: [{ b64_json: 'iVBO', size: '2560x1440' }],
            usage: { generated_images: 1, output_tokens: 14_400 },
          },
        },
      ],
    )
    expect(sent).toMatchObject([
      {
        url: '/images/generations',
        json: {
          model,
          prompt: 'a cat',
          size: '2560x1440',
          image: [images[0]?.url, images[1]?.url],
          sequential_image_generation: 'disabled',
          response_format: 'b64_json',
          watermark: false,
        },
      },
    ])
    expect(result).toEqual({
      images: [{ base64: 'iVBO' }],
      model,
      usage: { input: 0, output: 0, units: { images: 1 } },
    })
  })

  it('send one reference alone, and a seed of zero only to models that have one', () => {
    const [fourth] = imagesExchange(ark, { model, images: [{ url: 'https://a.example/1.png' }] }).sent
    expect(fourth?.json).toMatchObject({ image: 'https://a.example/1.png' })
    const [third] = imagesExchange(ark, { model: 'doubao-seedream-3-0-t2i-250415', seed: 0 }).sent
    expect(third?.json).toEqual({
      model: 'doubao-seedream-3-0-t2i-250415',
      prompt: 'a cat',
      seed: 0,
      response_format: 'b64_json',
    })
  })

  it('that the content policy blocks have status 200 and are free', () => {
    const error = { code: 'OutputImageSensitiveContentDetected', message: 'The image may contain sensitive content.' }
    const { result } = imagesExchange(ark, { model }, [{ json: { data: [{ error }], usage: { generated_images: 0 } } }])
    expect(result).toMatchObject({ images: [], blocked: error.message, usage: { units: { images: 0 } } })
  })

  it('that failed for another reason are an error', () => {
    const error = { code: 'InternalServiceError', message: 'try again' }
    expect(() => imagesExchange(ark, { model }, [{ json: { data: [{ error }] } }])).toThrow('try again')
  })

  it('have prices on BytePlus only', () => {
    const byteplus = volcengine({ apiKey: 'k', baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3' })
    const priceOf = ({ known = [] }: typeof ark) =>
      known
        .filter(({ families }) => families?.includes('images'))
        .map(({ id, price }) => [id, price?.units?.['images']])
    expect(priceOf(byteplus)).toContainEqual(['seedream-4-5-251128', 40_000_000_000_000])
    expect(priceOf(ark).every(([, price]) => price === undefined)).toBe(true)
  })
})
