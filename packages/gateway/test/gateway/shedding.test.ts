import { describe, expect, it, vi } from 'vitest'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, Principal } from '../../src/index.ts'
import { createOverload } from '../../src/serve/overload.ts'
import { connectTo, post as head } from '../support/connection.ts'
import { good } from '../support/fleet.ts'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const MEGABYTE = 1024 * 1024
const BATCH = { headers: { 'headgate-class': 'batch' } }

/** An overload of which the test drives the clock and the memory. */
function overloadOf(most: number) {
  let now = 1_000
  const memory = { held: 0, total: 100 }
  const overload = createOverload(
    most,
    () => memory,
    () => now,
  )
  overload.close()
  const tick = (...delays: number[]): void => {
    for (const delay of delays) {
      now += 20 + delay
      overload.tick()
    }
  }
  const refused = (bytes = 0) =>
    (['interactive', 'normal', 'batch'] as const).filter((one) => overload.reasonFor(one, bytes) !== undefined)
  return { overload, memory, tick, refused }
}

describe('An overload', () => {
  it('is refused by class, in steps of the delay of the event loop', () => {
    const { tick, refused } = overloadOf(250)
    tick(0, 0, 0)
    expect(refused()).toEqual([])
    tick(300, 300, 300)
    expect(refused()).toEqual(['batch'])
    tick(600, 600, 600)
    expect(refused()).toEqual(['normal', 'batch'])
    tick(1_100, 1_100, 1_100)
    expect(refused()).toEqual(['interactive', 'normal', 'batch'])
  })

  it('is not a single long task, and ends within a second', () => {
    const { tick, refused } = overloadOf(250)
    tick(0, 5_000, 0, 0)
    expect(refused()).toEqual([])
    tick(900, 900, 900)
    expect(refused()).toEqual(['normal', 'batch'])
    tick(...Array.from({ length: 40 }, () => 0))
    expect(refused()).toEqual([])
  })

  it('refuses large bodies and full memory earlier', () => {
    const { tick, refused } = overloadOf(250)
    tick(150, 150, 150)
    expect([refused(), refused(2 * MEGABYTE)]).toEqual([[], ['batch']])
    const calm = overloadOf(250)
    for (const [held, small, large] of [
      [20, [], []],
      [30, [], ['batch']],
      [60, ['batch'], ['batch']],
      [90, ['batch'], ['normal', 'batch']],
    ] as const) {
      calm.memory.held = held
      expect([calm.refused(), calm.refused(2 * MEGABYTE)]).toEqual([small, large])
    }
  })
})

describe('A request in an overload', () => {
  const start = async (limits: GatewayOptions['limits'], handler = good) => {
    const upstream = await startUpstream(handler)
    const principals: Record<string, Principal> = {
      [KEY]: { id: 'key-1' },
      other: { id: 'key-2' },
      third: { id: 'key-3' },
    }
    const options = { limits: limits ?? {}, authenticate: (credential: string) => principals[credential] }
    return { upstream, ...(await startGateway('node', { providers: [chatProvider(upstream.url)], ...options })) }
  }

  it('is refused before its body arrives, if its class is low and memory is scarce', async () => {
    const held: (() => void)[] = []
    const { upstream, post, call, port, access } = await start(
      { eventLoopDelay: 60_000, memory: 32 * MEGABYTE, keyMemory: 32 * MEGABYTE },
      (one) => void held.push(() => one.answer(200, chatAnswer())),
    )
    const sized = (megabytes: number) => ({
      ...chatRequest,
      messages: [{ role: 'user', content: 'x'.repeat(megabytes * MEGABYTE) }],
    })
    // One after the other, because no key gets more memory than is free.
    const large = [post(CHAT, sized(12))]
    await upstream.next()
    large.push(post(CHAT, sized(5), { headers: { authorization: 'Bearer other' } }))
    await upstream.next()
    const connection = await connectTo(port)
    connection.socket.write(head(CHAT, ['content-length: 1000000', 'headgate-class: batch']))
    await connection.has(/refuses requests of the class batch/)
    expect(connection.text()).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 5\r\n/i)
    expect(await access.next()).toMatchObject({
      status: 429,
      principal: 'key-1',
      shed: { reason: 'memory', serviceClass: 'batch' },
    })
    // Paths without a family are never refused.
    expect((await call('/v1/models', BATCH)).status).toBe(200)
    const small = post(CHAT, chatRequest, { headers: { authorization: 'Bearer third' } })
    await upstream.next()
    for (const end of held) end()
    for (const response of await Promise.all([small, ...large])) expect(response.status).toBe(200)
  })

  it('is refused while the event loop is late, by class, and served when it is not', async () => {
    const { post, access } = await start({ eventLoopDelay: 20 })
    for (let nth = 0; nth < 5; nth++) await block(120)
    const refused = await post(CHAT, chatRequest)
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '2',
      expect.stringContaining('class normal'),
    ])
    expect(await access.next()).toMatchObject({ shed: { reason: 'event-loop-delay', serviceClass: 'normal' } })
    await vi.waitFor(async () => expect((await post(CHAT, chatRequest)).status).toBe(200), 5_000)
  })

  it('with a body that is not read gets its response', async () => {
    const { post } = await start({ eventLoopDelay: 20 })
    for (let nth = 0; nth < 5; nth++) await block(120)
    const refused = await post(CHAT, 'x'.repeat(200_000))
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('overloaded')])
  })

  it('is never refused without the option', async () => {
    const { post } = await start({})
    for (let nth = 0; nth < 5; nth++) await block(120)
    expect((await post(CHAT, chatRequest, BATCH)).status).toBe(200)
  })
})

/** Blocks the event loop, and lets its timers run once. */
function block(ms: number): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end);
  return new Promise((resolve) => setTimeout(resolve, 0))
}
