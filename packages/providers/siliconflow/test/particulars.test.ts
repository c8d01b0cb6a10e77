import { describe, expect, it } from 'vitest'
import { siliconflow } from '../src/index.ts'

const { readError } = siliconflow({ apiKey: 'k' })

// Written from https://docs.siliconflow.cn/en/faqs/error-code
describe('SiliconFlow', () => {
  it.each([
    [
      'a model that is not there',
      400,
      { code: 20012, message: 'Model does not exist. Please check it carefully.', data: null },
      'unknown-model',
    ],
    [
      'a used-up account',
      403,
      { code: 30001, message: 'Sorry, your account balance is insufficient', data: null },
      'our-quota',
    ],
  ])('tells %s apart', (_, status, body, kind) => {
    expect(readError?.({ status, headers: {}, body, bytes: new Uint8Array() })?.kind).toBe(kind)
  })

  it('leaves other failures to their status', () => {
    const body = { error: { message: 'No.', code: 'other' } }
    expect(readError?.({ status: 429, headers: {}, body, bytes: new Uint8Array() })).toBeUndefined()
  })
})
