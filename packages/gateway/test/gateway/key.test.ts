import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../src/index.ts'
import type { KeyUse } from '../../src/ports.ts'
import { startGateway } from '../support/gateway.ts'

const use: KeyUse = { requests: 3, input: 20, output: 7, charged: '12345678901234567890', unpriced: 1 }
const KEY = '/v1/key'
/** What a key is told that is not kept to anything. */
const FREE = {
  families: ['*'],
  providers: ['*'],
  policies: null,
  labels: null,
  class: 'normal',
  weight: 1,
  tracing: 'parent',
  addresses: null,
  environment: null,
}

describe('What a key is told of itself', () => {
  it('is what it is and may do, and nothing that is not known', async () => {
    const { call } = await startGateway('node', { providers: [] })
    const unknown = { ...FREE, scopes: [], created: null, expires: null, used: null }
    const own = await call(KEY)
    expect([own.status, await own.json()]).toEqual([
      200,
      { object: 'headgate.key', id: 'key-1', name: 'test', models: ['*'], search: ['*'], ...unknown },
    ])
    const limited = await call(KEY, { headers: { authorization: 'Bearer sk-limited' } })
    expect(await limited.json()).toEqual({
      object: 'headgate.key',
      id: 'key-2',
      name: null,
      models: ['small', 'open-*'],
      search: [],
      ...unknown,
    })
  })

  it('is what it has used, where somebody knows, and whose it is', async () => {
    const asked: string[] = []
    const { call } = await startGateway('node', {
      providers: [],
      authenticate: () => ({ id: 'key-9', scopes: ['metrics'] }),
      keyInfo: async ({ id }) => {
        asked.push(id)
        const nothing = { ...use, charged: '0', requests: 0 }
        return {
          createdAt: 1_700_000_000_999,
          expiresAt: 1_800_000_000_000,
          used: { zone: 'UTC', today: nothing, month: use, all: use },
        }
      },
    })
    const written = { requests: 3, input_tokens: 20, output_tokens: 7, dollars: '12345678901.23456789', unpriced: 1 }
    expect(await (await call(KEY)).json()).toEqual({
      object: 'headgate.key',
      id: 'key-9',
      name: null,
      models: [],
      search: [],
      scopes: ['metrics'],
      ...FREE,
      created: 1_700_000_000,
      expires: 1_800_000_000,
      used: { time_zone: 'UTC', today: { ...written, requests: 0, dollars: '0' }, month: written, all: written },
    })
    expect(asked).toEqual(['key-9'])
  })

  it('is an error in the shape of chat completions where there is none', async () => {
    const { call } = await startGateway('node', {
      providers: [],
      keyInfo: () => {
        throw new HeadgateError('internal', 'The store is away.')
      },
    })
    const refused = await call(KEY, { headers: { authorization: 'Bearer wrong' } })
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
    const away = await call(KEY)
    expect([away.status, await away.json()]).toMatchObject([
      500,
      { error: { message: 'The store is away.', type: 'server_error' } },
    ])
    const posted = await call(KEY, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')])
  })
})
