import { describe, expect, it } from 'vitest'
import { next } from '../../../core/src/provider.ts'
import { CHAT, chatRequest, messagesRequest } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { checkProvider } from '../../src/operate.ts'
import { good, startOne, startSupport } from '../support/fleet.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const REFUSED = 'which is not a declared host of this provider. The credential was not sent.'

/** A list whose next page is where the answer says. */
const followed: NonNullable<ProviderInstance['models']> = {
  request: () => ({ method: 'GET', url: '/models' }),
  response({ body }) {
    const { more, data = [] } = body as { more?: string; data?: { id: string }[] }
    return more === undefined ? data : next({ method: 'GET', url: more })
  },
}

describe('A credential', () => {
  it('does not go to a host that the path of a chat names', async () => {
    const foreign = await startUpstream(good)
    const { post, upstream } = await startSupport('node', { path: () => `${foreign.origin}/elsewhere` })
    const response = await post(CHAT, chatRequest)
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(REFUSED)])
    expect([foreign.calls, upstream.calls]).toEqual([[], []])
  })

  it('goes to a host that the provider declares', async () => {
    const other = await startUpstream(good)
    const { post } = await startOne('node', () => ({
      hosts: [other.origin],
      chat: [{ format: 'chat-completions', path: () => `${other.origin}/elsewhere` }],
    }))
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect(other.calls.map(({ path, headers }) => [path, headers.authorization !== undefined])).toEqual([
      ['/elsewhere', true],
    ])
  })

  it('does not follow an answer to a host that it names', async () => {
    const foreign = await startUpstream((call) => call.answer(200, { data: [{ id: 'stolen' }] }))
    const upstream = await startUpstream((call) => call.answer(200, { more: `${foreign.origin}/models` }))
    const provider = chatProvider(upstream.url, { known: [], models: followed })
    const { gateway, warnings } = await startGateway('node', { providers: [provider] })
    await gateway.ready()
    expect(warnings).toEqual([expect.stringContaining(REFUSED)])
    expect(upstream.calls).toHaveLength(1)
    expect(foreign.calls).toEqual([])
  })

  it('does not go to where tokens are to be counted elsewhere', async () => {
    const foreign = await startUpstream((call) => call.answer(200, { count: 1 }))
    const countTokens: NonNullable<ProviderInstance['countTokens']> = {
      request: () => ({ method: 'POST', url: `${foreign.origin}/count`, body: { json: {} } }),
      response: () => 1,
    }
    const { post } = await startOne('node', () => ({ countTokens }))
    const response = await post('/v1/messages/count_tokens', messagesRequest)
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(REFUSED)])
    expect(foreign.calls).toEqual([])
  })
})

describe('A provider that is checked', () => {
  it('is not asked elsewhere', async () => {
    const foreign = await startUpstream((call) => call.answer(200, {}))
    const models = { ...followed, request: () => ({ method: 'GET', url: `${foreign.origin}/models` }) as const }
    expect(await checkProvider(chatProvider('http://127.0.0.1:1/v1', { models }))).toMatchObject({
      error: { message: expect.stringContaining(REFUSED) },
    })
    expect(foreign.calls).toEqual([])
  })
})
