import { afterEach, describe, expect, it, vi } from 'vitest'
import { CHAT, chatFrames, chatRequest } from '../../../core/test/support/wire.ts'
import { good, startFleet } from '../support/fleet.ts'
import type { UpstreamCall } from '../support/upstream.ts'

const HOUR = 3_600_000

afterEach(() => void vi.useRealTimers())

describe('A request while the clock is set', () => {
  it.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('%s is as long as it was, and not late', async (_, jump) => {
    const { post, upstreams, rows, access } = await startFleet('node', [() => {}, good])
    vi.useFakeTimers({ toFake: ['Date'] })
    const startedAt = Date.now()
    const answering = post(CHAT, { ...chatRequest, stream: true })
    const call = (await upstreams[0]?.next()) as UpstreamCall
    vi.setSystemTime(Date.now() + jump)
    await call.stream(chatFrames())
    await (await answering).text()
    const [row] = rows
    expect(row).toMatchObject({ why: 'price-unknown', startedAt })
    const durations = [
      row?.durationMs,
      row?.firstByteMs,
      row?.attempts[0]?.durationMs,
      (await access.next()).durationMs,
    ]
    for (const duration of durations) {
      expect(duration).toBeGreaterThanOrEqual(0)
      expect(duration).toBeLessThan(60_000)
      expect(Number.isInteger(duration)).toBe(true)
    }
  })

  it.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('%s has the attempts that are left', async (_, jump) => {
    const { post } = await startFleet('node', [
      (call) => {
        vi.setSystemTime(Date.now() + jump)
        call.answer(500, 'no')
      },
      good,
    ])
    vi.useFakeTimers({ toFake: ['Date'] })
    const response = await post(CHAT, chatRequest)
    expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })
})
