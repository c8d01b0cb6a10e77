import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { together } from '../src/index.ts'

/** Responses are written from https://docs.together.ai/reference/post-images-generations. */
const provider = together({ apiKey: 'k' })
const answer = {
  json: {
    model: 'm',
    object: 'list',
    data: [
      { index: 0, b64_json: 'iVBO' },
      { index: 1, url: 'https://a.example/2.png' },
    ],
  },
}

describe('Images of Together', () => {
  it('have width and height, and are billed by pixels', () => {
    const model = 'black-forest-labs/FLUX.1-schnell'
    const { sent, result } = imagesExchange(
      provider,
      { model, n: 2, size: { width: 512, height: 768 }, seed: 0, negative: 'dogs', format: 'png', more: { steps: 4 } },
      [answer],
    )
    expect(sent).toMatchObject([{ url: '/images/generations' }])
    expect(sent[0]?.json).toEqual({
      model,
      prompt: 'a cat',
      n: 2,
      width: 512,
      height: 768,
      seed: 0,
      negative_prompt: 'dogs',
      output_format: 'png',
      response_format: 'base64',
      steps: 4,
    })
    expect(result).toEqual({
      images: [{ base64: 'iVBO' }, { url: 'https://a.example/2.png' }],
      model: 'm',
      usage: { input: 0, output: 0, units: { pixels: 786_432 } },
    })
  })

  it('have references with FLUX.2, else one image', () => {
    const images = [{ url: 'https://a.example/1.png' }]
    const sentTo = (model: string) => imagesExchange(provider, { model, images }).sent[0]?.json
    expect(sentTo('black-forest-labs/FLUX.2-pro')).toMatchObject({ reference_images: ['https://a.example/1.png'] })
    expect(sentTo('black-forest-labs/FLUX.1-kontext-pro')).toMatchObject({ image_url: 'https://a.example/1.png' })
  })
})
