import { describe, expect, it } from 'vitest'
import { moonshot } from '../src/index.ts'

const { readError } = moonshot({ apiKey: 'k' })

// Written from https://platform.kimi.ai/docs/api/errors
describe('Moonshot AI', () => {
  it.each([
    [
      'a used-up account',
      429,
      {
        error: {
          type: 'exceeded_current_quota_error',
          message: 'Your account is not active, current state: suspended',
        },
      },
      'our-quota',
    ],
    [
      'an overloaded engine',
      429,
      {
        error: {
          type: 'engine_overloaded_error',
          message: 'The engine is currently overloaded, please try again later',
        },
      },
      'overloaded',
    ],
    [
      'content that it refuses',
      400,
      { error: { type: 'content_filter', message: 'The request was rejected because it was considered high risk' } },
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
