import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { recraft } from '../src/index.ts'

/** Responses are written from https://www.recraft.ai/docs/api-reference/endpoints. */
const provider = recraft({ apiKey: 'k' })
const model = 'recraftv4_1'
const answer = {
  json: {
    created: 1,
    credits: 70,
    data: [
      { image_id: 'a', b64_json: 'UklG' },
      { image_id: 'b', b64_json: 'UklG' },
    ],
  },
}

describe('Images of Recraft', () => {
  it('are in the shape of OpenAI, and cost the credits of the response', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model, n: 2, size: { width: 1344, height: 768 }, more: { style: 'Photorealism' } },
      [answer],
    )
    expect(sent).toMatchObject([{ url: '/images/generations' }])
    expect(sent[0]?.json).toEqual({
      model,
      prompt: 'a cat',
      n: 2,
      size: '1344x768',
      style: 'Photorealism',
      response_format: 'b64_json',
    })
    expect(result).toMatchObject({
      images: [{ base64: 'UklG' }, { base64: 'UklG' }],
      usage: { units: { credits: 70 } },
    })
    const price = provider.known?.find(({ id }) => id === model)?.price?.units
    // $0.035 an image, or 70 credits at $0.001, in nano-dollars.
    expect((2 * (price?.['images'] ?? 0)) / 1_000_000).toBe(70_000_000)
    expect((70 * (price?.['credits'] ?? 0)) / 1_000_000).toBe(70_000_000)
  })

  it('are edited by a form with a strength', () => {
    const image = { name: 'cat.png', type: 'image/png', content: { size: 3, read: async function* () {} } }
    const sentWith = (more: object) => imagesExchange(provider, { model, images: [image], more: { ...more } }).sent[0]
    expect(sentWith({})).toMatchObject({ url: '/images/imageToImage' })
    expect(sentWith({})?.form).toContainEqual(['strength', '0.5'])
    expect(sentWith({ strength: 0 })?.form).toContainEqual(['strength', '0'])
    expect(sentWith({})?.form).toContainEqual(['image', 'cat.png'])
  })

  it('are inpainted by a form with a mask', () => {
    const file = (name: string) => ({ name, type: 'image/png', content: { size: 3, read: async function* () {} } })
    const asked = { model: 'recraftv3', images: [file('cat.png')], mask: file('mask.png') }
    const [sent] = imagesExchange(provider, asked).sent
    expect(sent).toMatchObject({ url: '/images/inpaint' })
    expect(sent?.form).toEqual([
      ['model', 'recraftv3'],
      ['prompt', 'a cat'],
      ['n', '1'],
      ['response_format', 'b64_json'],
      ['image', 'cat.png'],
      ['mask', 'mask.png'],
    ])
  })
})
