import { describe, expect, it } from 'vitest'
import { zai } from '../src/index.ts'

const { readError } = zai({ apiKey: 'k' })

// Written from https://docs.z.ai/api-reference/api-code
describe('Z.ai', () => {
  it.each([
    [
      'a used-up account',
      429,
      { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } },
      'our-quota',
    ],
    [
      'content that it refuses',
      400,
      { error: { code: '1301', message: 'The system has detected unsafe content.' } },
      'content-policy',
    ],
    [
      'a prompt that is too long',
      400,
      { error: { code: '1261', message: 'Prompt exceeds max length' } },
      'context-too-long',
    ],
    [
      'a model that is not there',
      400,
      { error: { code: '1211', message: 'Unknown Model, please check the model code.' } },
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
