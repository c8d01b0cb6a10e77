import { describe, expect, it } from 'vitest'
import { createRoom, roomByDefault } from '../../src/edge/room.ts'

const refusal = (run: () => void): unknown => {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

describe('The room for bodies', () => {
  it('is shared by all requests, and given back when they end', () => {
    const room = createRoom(100)
    const [one, other] = [room.share(), room.share()]
    one.take(60)
    expect(refusal(() => other.take(41))).toMatchObject({ kind: 'over-limit', status: 429, retryAfterMs: 1000 })
    other.take(40)
    expect(room.held).toBe(100)
    one.take(-20)
    expect(room.held).toBe(80)
    one.release()
    one.release()
    other.release()
    expect(room.held).toBe(0)
  })

  it('is an eighth of the heap by default, and enough for two bodies', () => {
    expect(roomByDefault(1)).toBeGreaterThan(32 * 1024 * 1024)
    expect(roomByDefault(2 ** 40)).toBe(2 ** 41)
  })
})
