import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { replicate } from '../src/index.ts'

/** Responses are written from https://replicate.com/docs/reference/http#predictions.create. */
const provider = replicate({ apiKey: 'k' })
const url = 'https://replicate.delivery/xezq/out-0.webp'
const model = 'black-forest-labs/flux-schnell'

describe('Images of Replicate', () => {
  it('wait for the prediction, then poll it', () => {
    const { sent, result, cancel } = imagesExchange(
      provider,
      { model, n: 2, ratio: '16:9', seed: 0, format: 'jpeg', compression: 80 },
      [
        { json: { id: 'p1', status: 'starting' }, status: 201 },
        { json: { id: 'p1', status: 'processing' } },
        { json: { id: 'p1', status: 'succeeded', output: [url, url] } },
      ],
    )
    expect(sent.map((one) => `${one.method} ${one.url}`)).toEqual([
      'POST /models/black-forest-labs/flux-schnell/predictions',
      'GET /predictions/p1',
      'GET /predictions/p1',
    ])
    expect(sent[0]).toMatchObject({ headers: { prefer: 'wait=60' } })
    expect(sent[0]?.json).toEqual({
      input: {
        prompt: 'a cat',
        aspect_ratio: '16:9',
        seed: 0,
        num_outputs: 2,
        output_format: 'jpg',
        output_quality: 80,
      },
    })
    expect(result).toEqual({ images: [{ url }, { url }], usage: { input: 0, output: 0, units: { images: 2 } } })
    expect(cancel).toMatchObject({ method: 'POST', url: '/predictions/p1/cancel' })
  })

  it('name the images as the model does', () => {
    const images = [{ url: 'https://a.example/1.png' }, { url: 'https://a.example/2.png' }]
    const inputOf = (name: string) => imagesExchange(provider, { model: name, images }).sent[0]?.json
    expect(inputOf('black-forest-labs/flux-2-pro')).toMatchObject({
      input: { input_image: images[0]?.url, input_image_2: images[1]?.url },
    })
    expect(inputOf('google/nano-banana')).toMatchObject({ input: { image_input: images.map((image) => image.url) } })
  })

  it('of a version are made by it, with one URL', () => {
    const answers = [{ json: { id: 'p', status: 'succeeded', output: url } }]
    const { sent, result } = imagesExchange(provider, { model: 'acme/brush:5c7d' }, answers)
    expect(sent).toMatchObject([{ url: '/predictions', json: { version: '5c7d' } }])
    expect(result?.images).toEqual([{ url }])
  })

  it('that the model refuses are blocked; other failures are errors', () => {
    const failed = (error: string) => [{ json: { id: 'p', status: 'failed', error } }]
    const blocked = 'NSFW content detected. Try running it again.'
    expect(imagesExchange(provider, { model }, failed(blocked)).result).toMatchObject({ images: [], blocked })
    expect(() => imagesExchange(provider, { model }, failed('CUDA out of memory'))).toThrow('CUDA out of memory')
    expect(() => imagesExchange(provider, { model }, [{ json: { id: 'p', status: 'canceled' } }])).toThrow('canceled')
  })
})
