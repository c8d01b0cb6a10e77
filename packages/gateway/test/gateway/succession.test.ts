import { describe, expect, it } from 'vitest'
import { CHAT, chatRequest } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { failing, good } from '../support/fleet.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const models: NonNullable<ProviderInstance['models']> = {
  request: () => ({ method: 'GET', url: '/models' }),
  response: ({ body }) => (body as { data: { id: string }[] }).data,
}

describe('A gateway that takes the place of another', () => {
  it('knows which providers are unwell, unless they are other ones now', async () => {
    const sick = await startUpstream(failing(429))
    const well = await startUpstream(good)
    const alpha = chatProvider(sick.url)
    const beta = chatProvider(well.url, { name: 'beta' })
    const first = await startGateway('node', { providers: [alpha, beta] })
    expect((await first.post(CHAT, chatRequest)).status).toBe(200)
    expect(sick.calls).toHaveLength(1)

    const second = await startGateway('node', { providers: [alpha, beta], after: first.gateway })
    expect((await second.post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
    expect(sick.calls).toHaveLength(1)

    const mended = chatProvider(sick.url, {
      credential: { kind: 'header', name: 'authorization', value: 'Bearer another' },
    })
    const third = await startGateway('node', { providers: [mended, beta], after: second.gateway })
    expect((await third.post(CHAT, chatRequest)).status).toBe(200)
    expect(sick.calls).toHaveLength(2)
  })

  it('has their lists of models at once', async () => {
    const upstream = await startUpstream((call) =>
      call.method === 'GET' ? call.answer(200, { data: [{ id: 'listed' }] }) : good(call),
    )
    const provider = chatProvider(upstream.url, { known: [], models })
    const first = await startGateway('node', { providers: [provider] })
    await first.gateway.ready()
    const second = await startGateway('node', { providers: [provider], after: first.gateway })
    expect((await second.post(CHAT, { ...chatRequest, model: 'listed' })).status).toBe(200)
    expect(upstream.calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })
})
