import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { now } from '../../src/clock.ts'
import { createTimers, type TimerAt } from '../../src/serve/timer.ts'

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const

describe('an alarm', () => {
  let alarmAt: TimerAt
  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...TIMERS] })
    alarmAt = createTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it('runs once at its moment, and at most a second late where that is far away', () => {
    const runs: string[] = []
    alarmAt(now() + 500, () => runs.push('near'))
    alarmAt(now() + 900_000, () => runs.push('far'))
    alarmAt(now() + 70_000, () => runs.push('middle'))
    vi.advanceTimersByTime(499)
    expect(runs).toEqual([])
    vi.advanceTimersByTime(1)
    expect(runs).toEqual(['near'])
    vi.advanceTimersByTime(69_499)
    expect(runs).toEqual(['near'])
    vi.advanceTimersByTime(1_001)
    expect(runs).toEqual(['near', 'middle'])
    vi.advanceTimersByTime(830_000)
    expect(runs).toEqual(['near', 'middle', 'far'])
    vi.advanceTimersByTime(2_000_000)
    expect(runs).toHaveLength(3)
  })

  it('that is called off does not run, whatever it is called off by', () => {
    const runs: string[] = []
    const callOffs = [100, 99_500, 99_800].map((ms) => alarmAt(now() + ms, () => runs.push(`${ms}`)))
    alarmAt(now() + 99_500, () => {
      runs.push('first')
      for (const callOff of callOffs) callOff()
    })
    callOffs[0]?.()
    callOffs[1]?.()
    vi.advanceTimersByTime(200_000)
    expect(runs).toEqual(['first'])
  })

  it('that is far away shares its timer with all others, and leaves none behind', () => {
    const callOffs = Array.from({ length: 100 }, (_, index) => alarmAt(now() + 600_000 + index, () => {}))
    expect(vi.getTimerCount()).toBe(1)
    for (const callOff of callOffs) callOff()
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})
