import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { fal } from '../src/index.ts'

/**
 * Responses are written from https://fal.ai/docs/api-reference/inference-api and
 * https://fal.ai/models/fal-ai/flux-1/schnell/llms.txt.
 */
const provider = fal({ apiKey: 'k' })
const at = 'https://queue.fal.run/fal-ai/flux-2/requests/r1'
const created = {
  json: {
    status: 'IN_QUEUE',
    request_id: 'r1',
    status_url: `${at}/status`,
    response_url: at,
    cancel_url: `${at}/cancel`,
  },
}
const made = (more: object = {}) => ({
  json: {
    images: [1, 2].map((number) => ({
      url: `https://v3.fal.media/files/${number}.png`,
      width: 1024,
      height: 768,
      content_type: 'image/png',
    })),
    seed: 7,
    ...more,
  },
})

describe('Images of fal', () => {
  it('are polled in the queue, below the base URL, and are billed by pixels', () => {
    const { sent, result, cancel } = imagesExchange(
      provider,
      { model: 'fal-ai/flux-2', n: 2, size: { width: 1024, height: 768 }, seed: 0, format: 'png' },
      [created, { json: { status: 'IN_PROGRESS' } }, { json: { status: 'COMPLETED' } }, made()],
    )
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /fal-ai/flux-2',
      'GET /fal-ai/flux-2/requests/r1/status',
      'GET /fal-ai/flux-2/requests/r1/status',
      'GET /fal-ai/flux-2/requests/r1',
    ])
    expect(sent[0]?.json).toEqual({
      prompt: 'a cat',
      num_images: 2,
      image_size: { width: 1024, height: 768 },
      seed: 0,
      output_format: 'png',
    })
    expect(result).toEqual({
      images: [1, 2].map((number) => ({ url: `https://v3.fal.media/files/${number}.png` })),
      usage: { input: 0, output: 0, units: { pixels: 1_572_864 } },
    })
    expect(cancel).toMatchObject({ method: 'PUT', url: '/fal-ai/flux-2/requests/r1/cancel' })
  })

  it('are edited at another endpoint, with one image or a list', () => {
    const images = [{ url: 'https://a.example/1.png' }]
    const sentTo = (model: string) => imagesExchange(provider, { model, images }).sent[0]
    expect(sentTo('fal-ai/flux-2')).toMatchObject({
      url: '/fal-ai/flux-2/edit',
      json: { image_urls: [images[0]?.url] },
    })
    expect(sentTo('fal-ai/flux/dev')).toMatchObject({
      url: '/fal-ai/flux/dev/image-to-image',
      json: { image_url: images[0]?.url },
    })
    expect(sentTo('acme/brush')).toMatchObject({ url: '/acme/brush', json: { image_url: images[0]?.url } })
    expect(sentTo('acme/brush/edit')).toMatchObject({ json: { image_urls: [images[0]?.url] } })
  })

  it('that are black are left out, and billed', () => {
    const one = imagesExchange(provider, { model: 'fal-ai/flux-2', n: 2 }, [
      created,
      { json: { status: 'COMPLETED' } },
      made({ has_nsfw_concepts: [true, false] }),
    ])
    expect(one.result?.images).toHaveLength(1)
    expect(one.result?.usage?.units).toEqual({ pixels: 1_572_864 })
    const none = imagesExchange(provider, { model: 'acme/brush' }, [
      created,
      { json: { status: 'COMPLETED' } },
      made({ has_nsfw_concepts: [true, true] }),
    ])
    expect(none.result).toMatchObject({ images: [], usage: { units: { images: 2 } } })
    expect(none.result?.blocked).toBeTruthy()
  })

  it('that the policy refuses are an error of the result', () => {
    const detail = [{ loc: ['body', 'prompt'], msg: 'flagged', type: 'content_policy_violation' }]
    const answers = [created, { json: { status: 'COMPLETED' } }, { json: { detail }, status: 422 }]
    expect(() => imagesExchange(provider, { model: 'fal-ai/flux-2' }, answers)).toThrow(
      expect.objectContaining({ kind: 'content-policy' }),
    )
  })
})
