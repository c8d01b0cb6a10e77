import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CHAT, chatRequest } from '../../../core/test/support/wire.ts'
import { failing, good, type Handler, startFleet } from '../support/fleet.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

describe('An outage', () => {
  const outage = (call: Parameters<Handler>[0]): unknown => failing(500)(call)

  it('of the only provider is multiplied by at most 1.2', async () => {
    const { post, upstreams } = await startFleet('node', [outage])
    const waves = Array.from({ length: 20 }, () => 50)
    for (const size of waves) {
      const answers = await Promise.all(Array.from({ length: size }, () => post(CHAT, chatRequest)))
      for (const answer of answers)
        expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('It hurts')])
    }
    expect(upstreams[0]?.calls.length).toBeLessThanOrEqual(1_200)
    expect(upstreams[0]?.calls.length).toBeGreaterThan(1_000)
  })

  it('of one moment does not end a lone request', async () => {
    let calls = 0
    const { post } = await startFleet('node', [(call) => (calls++ < 3 ? outage(call) : good(call))])
    expect((await post(CHAT, chatRequest)).status).toBe(200)
  })

  it('whose reused connections die is tried again over new ones as little', async () => {
    let isDying = false
    const { post, upstreams } = await startFleet('node', [(call) => (isDying ? call.reset() : good(call))])
    const wave = (size: number) =>
      Promise.all(Array.from({ length: size }, async () => (await post(CHAT, chatRequest)).text()))
    await wave(100)
    // undici lets one turn of the event loop pass before a connection is used again.
    await turn()
    await turn()
    isDying = true
    await wave(100)
    expect(upstreams[0]?.calls.length).toBeLessThanOrEqual(240)
    expect(upstreams[0]?.calls.length).toBeGreaterThan(200)
  })

  it('goes on for the gateway that takes the place of another', async () => {
    const upstream = await startUpstream(outage)
    const providers = [chatProvider(upstream.url)]
    const retries = { least: 3 }
    const before = await startGateway('node', { providers, retries })
    await before.post(CHAT, chatRequest)
    const after = await startGateway('node', { providers, retries, after: before.gateway })
    await after.post(CHAT, chatRequest)
    expect(upstream.calls).toHaveLength(5)
  })

  /** Fails every request whose number modulo 10 is below 3. */
  const flaky = (): Handler => {
    let calls = 0
    return (call) => (calls++ % 10 < 3 ? failing(500)(call) : good(call))
  }

  /** Sends requests in waves of 20. Returns the statuses of the responses. */
  async function sendWaves(post: Awaited<ReturnType<typeof startFleet>>['post'], most: number): Promise<Set<number>> {
    const statuses = new Set<number>()
    for (let sent = 0; sent < most; sent += 20) {
      const wave = await Promise.all(Array.from({ length: 20 }, () => post(CHAT, chatRequest)))
      for (const response of wave) {
        statuses.add(response.status)
        await response.arrayBuffer()
      }
    }
    return statuses
  }

  async function neverSeen(most: number): Promise<void> {
    const down: Handler = (call) => call.cut()
    for (const policy of ['priority', 'weighted', 'least-busy'] as const) {
      const { post } = await startFleet('node', [flaky(), down, good], { routing: { policy } })
      expect(await sendWaves(post, most)).toEqual(new Set([200]))
    }
  }

  it('of one provider, and failures of another, are not seen by callers', () => neverSeen(400))

  it('of one provider, and failures of another, are not seen by 5,000 callers', { tags: ['full'] }, () =>
    neverSeen(5_000),
  )

  it('of a pinned provider reaches the caller after four calls', async () => {
    const { post, upstreams } = await startFleet('node', [outage, good, good])
    const response = await post(CHAT, chatRequest, { headers: { vendor: 'alpha' } })
    expect([response.status, upstreams.map(({ calls }) => calls.length)]).toEqual([500, [4, 0, 0]])
  })
})
