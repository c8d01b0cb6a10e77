import { describe, expect, it } from 'vitest'
import { next, signed } from '../../../core/src/provider.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { checkProvider } from '../../src/operate.ts'
import { chatProvider } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** A list that would go on for ever. */
const models: NonNullable<ProviderInstance['models']> = {
  request: () => ({ method: 'GET', url: '/models' }),
  response({ body }) {
    if (typeof body !== 'object') throw new TypeError('This is no list.')
    return next({ method: 'GET', url: '/models?page=next' })
  },
}

const credential = { kind: 'header', name: 'authorization', value: 'Bearer zebra-key' } as const

describe('A provider that is checked', () => {
  it('is asked for the first page of its list, with its credential', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { data: [] }))
    expect(await checkProvider(chatProvider(upstream.url, { models, credential }))).toEqual({
      status: 200,
      aheadMs: expect.any(Number),
    })
    expect(upstream.calls.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/models', 'Bearer zebra-key'],
    ])
  })

  it('says which known models its list does not have, if the list has one page', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { data: [{ id: 'models/there' }] }))
    const list: typeof models = {
      request: models.request,
      response: () => [{ id: 'there' }],
    }
    const known = [{ id: 'there' }, { id: 'gone', families: ['images'] }]
    expect(await checkProvider(chatProvider(upstream.url, { models: list, known }))).toMatchObject({
      list: { models: [{ id: 'there' }], missing: [known[1]] },
    })
    expect(await checkProvider(chatProvider(upstream.url, { models, known }))).not.toHaveProperty('list')
  })

  it('says what is wrong in its own words, without the credential', async () => {
    const error = {
      message: 'Incorrect API key provided: zebra-key',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }
    const upstream = await startUpstream((call) => call.answer(401, { error }))
    expect(await checkProvider(chatProvider(upstream.url, { models, credential }))).toMatchObject({
      status: 401,
      error: { kind: 'our-credential', message: 'Incorrect API key provided: [redacted]' },
    })
  })

  it('says how far our clock is ahead of its own', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000).toUTCString()
    const upstream = await startUpstream((call) => call.answer(200, { data: [] }, { date: hourAgo }))
    const checkup = await checkProvider(chatProvider(upstream.url, { models }))
    expect(Math.round(Number(checkup?.aheadMs) / 60_000)).toBe(60)
  })

  it('may be gone, or answer with something else', async () => {
    const upstream = await startUpstream((call) => call.answer(200, 'Hello'))
    expect(await checkProvider(chatProvider(upstream.url, { models }))).toMatchObject({
      status: 200,
      error: { kind: 'upstream' },
    })
    const gone = await checkProvider(chatProvider('http://127.0.0.1:1/v1', { models }))
    expect(gone).toEqual({ error: { kind: 'upstream', message: expect.stringContaining('ECONNREFUSED') } })
  })

  it('may have an adapter that fails', async () => {
    const sign = (): never => {
      throw new Error('no token for zebra-key')
    }
    const provider = chatProvider('http://127.0.0.1:1/v1', { models, credential: signed({ sign }) })
    expect(await checkProvider(provider)).toEqual({ error: { kind: 'internal', message: 'no token for zebra-key' } })
  })

  it('is not asked where it has no list', async () => {
    const upstream = await startUpstream()
    expect(await checkProvider(chatProvider(upstream.url))).toBeUndefined()
    expect(upstream.calls).toEqual([])
  })
})
