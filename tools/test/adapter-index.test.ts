import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { baseUrl } from '../../packages/core/src/openai-compatible.ts'
import { waysOf } from '../adapter-index/ways.ts'

const apiKey = z.string().min(1)
const env = { apiKey: ['ACME_API_KEY', 'ACME_TOKEN'], baseUrl: ['ACME_BASE_URL'] }

describe('the variables with which an adapter is used', () => {
  it.each([
    [
      'are those of what it requires',
      { config: z.strictObject({ apiKey, baseUrl: baseUrl.default('https://acme.example') }), env },
      ['ACME_API_KEY', 'ACME_TOKEN'],
    ],
    [
      'go together where it requires several',
      { config: z.strictObject({ apiKey, baseUrl }), env },
      ['ACME_API_KEY ACME_BASE_URL', 'ACME_TOKEN ACME_BASE_URL'],
    ],
    [
      'are all ways where there are several',
      {
        config: z
          .strictObject({ apiKey: apiKey.optional(), id: apiKey.optional(), secret: apiKey.optional() })
          .refine((given) => given.apiKey || (given.id && given.secret)),
        env: { apiKey: ['ACME_API_KEY'], id: ['ACME_ID'], secret: [{ file: 'ACME_SECRET_FILE' }] },
      },
      ['ACME_API_KEY', 'ACME_ID ACME_SECRET_FILE'],
    ],
    [
      'are its key where it has to be asked for',
      { config: z.strictObject({ apiKey: apiKey.optional() }), env, enable: 'asked' as const },
      ['ACME_API_KEY', 'ACME_TOKEN'],
    ],
    ['are none where it needs nothing', { config: z.strictObject({}), env: {} }, []],
    ['are none of the last resort', { config: z.strictObject({ apiKey }), env, enable: 'last-resort' as const }, []],
  ])('%s', (_, adapter, ways) => {
    expect(waysOf(adapter)).toEqual(ways)
  })
})
