import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { bfl } from '../src/index.ts'

/** Responses are written from https://docs.bfl.ai/quick_start/generating_images and `@ai-sdk/black-forest-labs`. */
const provider = bfl({ apiKey: 'k' })
const model = 'flux-2-pro'
const pollUrl = 'https://api.us1.bfl.ai/v1/get_result?id=t1'
const created = { json: { id: 't1', polling_url: pollUrl, cost: 4.5, input_mp: 1, output_mp: 1 } }
const sample = 'https://delivery.us1.bfl.ai/results/t1.jpeg?sig=x'

describe('Images of Black Forest Labs', () => {
  it('are polled at the regional host, and cost the credits of the response', () => {
    const images = [{ url: 'data:image/png;base64,AQID' }, { url: 'https://a.example/2.png' }]
    const { sent, result } = imagesExchange(
      provider,
      { model, size: { width: 1024, height: 768 }, seed: 0, format: 'png', images, more: { safety_tolerance: 0 } },
      [created, { json: { id: 't1', status: 'Pending' } }, { json: { id: 't1', status: 'Ready', result: { sample } } }],
    )
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/flux-2-pro',
      `GET ${pollUrl}`,
      `GET ${pollUrl}`,
    ])
    expect(sent[0]?.json).toEqual({
      prompt: 'a cat',
      width: 1024,
      height: 768,
      seed: 0,
      output_format: 'png',
      input_image: 'AQID',
      input_image_2: 'https://a.example/2.png',
      safety_tolerance: 0,
    })
    expect(sent[2]?.afterMs).toBeGreaterThan(sent[1]?.afterMs ?? 0)
    expect(result).toEqual({
      images: [{ url: sample }],
      usage: { input: 0, output: 0, units: { millicredits: 4_500 } },
    })
    // 4.5 credits at $0.01, in nano-dollars.
    const price = provider.known?.find(({ id }) => id === model)?.price?.units?.['millicredits'] ?? 0
    expect((4_500 * price) / 1_000_000).toBe(45_000_000)
  })

  it('are polled at another base URL, and nowhere else', () => {
    const own = bfl({ apiKey: 'k', baseUrl: 'https://proxy.example' })
    expect(imagesExchange(own, { model }, [created]).sent[1]?.url).toBe('/v1/get_result?id=t1')
  })

  it('name the images as the model does', () => {
    const images = [{ url: 'https://a.example/1.png' }]
    const jsonOf = (name: string) => imagesExchange(provider, { model: name, ratio: '16:9', images }).sent[0]?.json
    expect(jsonOf('flux-kontext-pro')).toMatchObject({ aspect_ratio: '16:9', input_image: 'https://a.example/1.png' })
    expect(jsonOf('flux-pro-1.0-fill')).toMatchObject({ image: 'https://a.example/1.png' })
    const mask = { url: 'data:image/png;base64,BAUG' }
    const [filled] = imagesExchange(provider, { model: 'flux-pro-1.0-fill', images, mask }).sent
    expect(filled?.json).toMatchObject({ image: 'https://a.example/1.png', mask: 'BAUG' })
    expect(jsonOf('flux-pro-1.1-ultra')).toMatchObject({ image_prompt: 'https://a.example/1.png' })
  })

  it.each(['Request Moderated', 'Content Moderated'])('are blocked by the state %s', (status) => {
    const details = { 'Moderation Reasons': ['Protected Content'] }
    const { result } = imagesExchange(provider, { model }, [created, { json: { status, details } }])
    expect(result).toMatchObject({ images: [], blocked: `${status}: Protected Content` })
  })

  it.each(['Error', 'Failed', 'Task not found'])('fail in the state %s', (status) => {
    expect(() => imagesExchange(provider, { model }, [created, { json: { status } }])).toThrow(status)
  })

  it('without a stated cost are counted, whose price is unknown', () => {
    const answers = [{ json: { id: 't/1' } }, { json: { status: 'Ready', result: { sample } } }]
    const { sent, result } = imagesExchange(provider, { model }, answers)
    expect(sent[1]?.url).toBe('/v1/get_result?id=t%2F1')
    expect(result?.usage?.units).toEqual({ images: 1 })
  })

  it('read an empty balance', () => {
    expect(() =>
      imagesExchange(provider, { model }, [{ json: { detail: 'Insufficient credits' }, status: 402 }]),
    ).toThrow(expect.objectContaining({ kind: 'our-quota' }))
  })
})
