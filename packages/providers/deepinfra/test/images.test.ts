import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { deepinfra } from '../src/index.ts'

/** Responses are written from https://deepinfra.com/black-forest-labs/FLUX-1-schnell/api. */
const provider = deepinfra({ apiKey: 'k' })

describe('Images of DeepInfra', () => {
  it('are base64 in the shape of OpenAI', () => {
    const model = 'black-forest-labs/FLUX-1-schnell'
    const { sent, result } = imagesExchange(provider, { model, n: 2, size: { width: 1024, height: 512 } }, [
      {
        json: {
          created: 1_707_000_000,
          data: [{ revised_prompt: 'a grey cat', b64_json: '/9j/' }, { b64_json: '/9j/' }],
        },
      },
    ])
    expect(sent).toMatchObject([{ url: '/images/generations', form: undefined }])
    expect(sent[0]?.json).toEqual({ model, prompt: 'a cat', n: 2, size: '1024x512', response_format: 'b64_json' })
    expect(result).toEqual({
      images: [{ base64: '/9j/', revised: 'a grey cat' }, { base64: '/9j/' }],
      usage: { input: 0, output: 0, units: { images: 2 } },
    })
  })

  it('are edited by a form', () => {
    const content = { size: 3, read: async function* () {} }
    const image = { name: 'cat.png', type: 'image/png', content }
    const { sent } = imagesExchange(provider, { model: 'black-forest-labs/FLUX.1-Kontext-dev', images: [image] })
    expect(sent).toMatchObject([{ url: '/images/edits' }])
    expect(sent[0]?.form).toContainEqual(['image', 'cat.png'])
    expect(sent[0]?.form).toContainEqual(['prompt', 'a cat'])
  })
})
