import { describe, expect, it } from 'vitest'
import { tencent } from '../src/index.ts'

const { readError } = tencent({ apiKey: 'k' })

// Written from https://cloud.tencent.com/document/product/1823/131595
describe('Tencent TokenHub', () => {
  it.each([
    [
      'content that it refuses',
      451,
      {
        error: {
          type: 'content_filter_error',
          code: '451001',
          message: 'content was filtered by safety policy',
          source: 'gateway',
        },
      },
      'content-policy',
    ],
  ])('tells %s apart', (_, status, body, kind) => {
    expect(readError?.({ status, headers: {}, body, bytes: new Uint8Array() })?.kind).toBe(kind)
  })

  it('leaves other failures to their status', () => {
    const body = { error: { message: 'No.', code: 'other' } }
    expect(readError?.({ status: 429, headers: {}, body, bytes: new Uint8Array() })).toBeUndefined()
  })
})
