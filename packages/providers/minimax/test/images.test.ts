import { imagesExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { minimax } from '../src/index.ts'

/** Responses are written from https://platform.minimax.io/docs/api-reference/image-generation-t2i. */
const provider = minimax({ apiKey: 'k' })
const model = 'image-01'
const ok = { status_code: 0, status_msg: 'success' }

describe('Images of MiniMax', () => {
  it('are base64, and those that failed are not billed', () => {
    const { sent, result } = imagesExchange(
      provider,
      { model, n: 3, size: { width: 1280, height: 720 }, seed: 0, images: [{ url: 'https://a.example/me.png' }] },
      [
        {
          json: {
            data: { image_base64: ['AAAA', 'BBBB'] },
            metadata: { success_count: '2', failed_count: '1' },
            base_resp: ok,
          },
        },
      ],
    )
    expect(sent).toMatchObject([
      {
        url: '/v1/image_generation',
        json: {
          model,
          n: 3,
          width: 1280,
          height: 720,
          seed: 0,
          response_format: 'base64',
          subject_reference: [{ type: 'character', image_file: 'https://a.example/me.png' }],
        },
      },
    ])
    expect(result).toEqual({
      images: [{ base64: 'AAAA' }, { base64: 'BBBB' }],
      usage: { input: 0, output: 0, units: { images: 2 } },
    })
  })

  it('that are all blocked are no success', () => {
    const json = { data: {}, metadata: { success_count: '0', failed_count: '1' }, base_resp: ok }
    expect(imagesExchange(provider, { model }, [{ json }]).result).toMatchObject({
      images: [],
      usage: { units: { images: 0 } },
    })
    expect(imagesExchange(provider, { model }, [{ json }]).result?.blocked).toBeTruthy()
  })

  it.each([
    [1026, 'content-policy'],
    [1002, 'rate-limited'],
    [1008, 'our-quota'],
    [2013, 'invalid-request'],
  ])('read the error %i with status 200', (code, kind) => {
    const json = { base_resp: { status_code: code, status_msg: 'no' } }
    expect(() => imagesExchange(provider, { model }, [{ json }])).toThrow(expect.objectContaining({ kind }))
  })
})
