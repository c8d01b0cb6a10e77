import { describe, expect, it } from 'vitest'
import { baidu } from '../src/index.ts'

const { readError } = baidu({ apiKey: 'k' })

// Written from https://cloud.baidu.com/doc/qianfan-api/s/rmwbl43x7
describe('Baidu Qianfan', () => {
  it.each([
    [
      'a prompt that is too long',
      400,
      { error: { code: 'tokens_too_long', message: 'Prompt tokens too long', type: 'invalid_request_error' } },
      'context-too-long',
    ],
    [
      'content that it refuses',
      400,
      {
        error: { code: 'image_url_unsafe', message: 'the content of image_url.url is unsafe', type: 'unsafe_request' },
      },
      'content-policy',
    ],
    [
      'a model that may not be used',
      401,
      { error: { code: 'invalid_model', message: 'No permission to use the model', type: 'invalid_request_error' } },
      'unknown-model',
    ],
  ])('tells %s apart', (_, status, body, kind) => {
    expect(readError?.({ status, headers: {}, body, bytes: new Uint8Array() })?.kind).toBe(kind)
  })

  it('leaves other failures to their status', () => {
    const body = { error: { message: 'No.', code: 'other' } }
    expect(readError?.({ status: 429, headers: {}, body, bytes: new Uint8Array() })).toBeUndefined()
  })
})
