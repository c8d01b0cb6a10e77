import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBreaker } from '../src/redis/breaker.ts'

/** A breaker whose probes the test answers. */
function watched() {
  const told: string[] = []
  let works = false
  const breaker = createBreaker({
    probe: async () => {
      told.push('probe')
      if (!works) throw new Error('still gone')
    },
    onOpen: (reason) => told.push(`open: ${reason}`),
    onClose: () => told.push('closed'),
  })
  return {
    breaker,
    told,
    repair: () => {
      works = true
    },
  }
}

describe('The circuit breaker', () => {
  afterEach(() => void vi.useRealTimers())

  it('opens after five failures in a row, and not after failures between successes', () => {
    const { breaker, told } = watched()
    for (let round = 0; round < 3; round++) {
      for (let nth = 0; nth < 4; nth++) breaker.failed('gone')
      breaker.succeeded()
    }
    expect(breaker.isOpen).toBe(false)
    for (let nth = 0; nth < 7; nth++) breaker.failed(`gone ${nth}`)
    expect(breaker.isOpen).toBe(true)
    expect(told).toEqual(['open: gone 4'])
    breaker.end()
  })

  it('probes after a second, then each 100 ms, and closes with the first answer', async () => {
    vi.useFakeTimers()
    const { breaker, told, repair } = watched()
    breaker.open('gone')
    await vi.advanceTimersByTimeAsync(999)
    expect(told).toEqual(['open: gone'])
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toEqual(['open: gone', 'probe'])
    await vi.advanceTimersByTimeAsync(200)
    expect(told).toEqual(['open: gone', 'probe', 'probe', 'probe'])
    repair()
    await vi.advanceTimersByTimeAsync(100)
    expect(told.slice(4)).toEqual(['probe', 'closed'])
    expect(breaker.isOpen).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toHaveLength(6)
    for (let nth = 0; nth < 4; nth++) breaker.failed('gone')
    expect(breaker.isOpen).toBe(false)
    breaker.end()
  })

  it('neither probes nor reports once it has ended', async () => {
    vi.useFakeTimers()
    const { breaker, told } = watched()
    breaker.open('gone')
    breaker.end()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual(['open: gone'])
  })
})
