import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { fireworks } from '../src/index.ts'

/**
 * Responses are written from https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt and from
 * `@ai-sdk/fireworks`.
 */
const provider = fireworks({ apiKey: 'k' })
const base = 'accounts/fireworks/models'
const bytes = new Uint8Array([1, 2, 3])

describe('Images of Fireworks', () => {
  it('are the bytes of the response', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model: `${base}/flux-1-schnell-fp8`, ratio: '3:2', seed: 0, format: 'jpeg' },
      [{ bytes, headers: { 'content-type': 'image/jpeg' } }],
    )
    expect(sent).toMatchObject([
      { url: `/workflows/${base}/flux-1-schnell-fp8/text_to_image`, headers: { accept: 'image/jpeg' } },
    ])
    expect(sent[0]?.json).toEqual({ prompt: 'a cat', aspect_ratio: '3:2', seed: 0 })
    expect(result).toEqual({
      images: [{ bytes }],
      usage: { input: 0, output: 0, units: { images: 1 } },
    })
  })

  it('of Stable Diffusion have a size and a path of their own, and can be filtered', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model: `${base}/stable-diffusion-xl-1024-v1-0`, size: { width: 1024, height: 768 }, negative: 'dogs' },
      [{ bytes, headers: { 'content-type': 'image/png', 'finish-reason': 'CONTENT_FILTERED' } }],
    )
    expect(sent).toMatchObject([
      {
        url: `/image_generation/${base}/stable-diffusion-xl-1024-v1-0`,
        json: { width: 1024, height: 768, negative_prompt: 'dogs' },
      },
    ])
    expect(result).toMatchObject({ images: [], usage: { units: { images: 1 } } })
    expect(result?.blocked).toBeTruthy()
  })

  it('of Kontext are a task, polled by POST', () => {
    const sample = 'https://delivery.example/a.png'
    const { sent, result } = imagesExchange(
      provider,
      { model: `${base}/flux-kontext-pro`, images: [{ url: 'data:image/png;base64,AQID' }] },
      [
        { json: { request_id: 'r1' } },
        { json: { id: 'r1', status: 'Pending', result: null } },
        { json: { id: 'r1', status: 'Ready', result: { sample } } },
      ],
    )
    const poll = { method: 'POST', url: `/workflows/${base}/flux-kontext-pro/get_result`, json: { id: 'r1' } }
    expect(sent).toMatchObject([
      { url: `/workflows/${base}/flux-kontext-pro`, json: { input_image: 'data:image/png;base64,AQID' } },
      poll,
      poll,
    ])
    expect(result).toMatchObject({ images: [{ url: sample }] })
  })

  it('are no success if the task was moderated or failed, or the response is a page', () => {
    const ended = (status: string) => [{ json: { request_id: 'r1' } }, { json: { status } }]
    const model = `${base}/flux-kontext-pro`
    expect(imagesExchange(provider, { model }, ended('Request Moderated')).result).toMatchObject({ images: [] })
    expect(() => imagesExchange(provider, { model }, ended('Error'))).toThrow('Error')
    const page = [{ bytes, headers: { 'content-type': 'text/html' } }]
    expect(() => imagesExchange(provider, { model: `${base}/flux-1-dev-fp8` }, page)).toThrow('no image')
  })
})
