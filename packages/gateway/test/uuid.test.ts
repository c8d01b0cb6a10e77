import { describe, expect, it, vi } from 'vitest'
import { uuidv7 } from '../src/ports.ts'

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

describe('A UUID', () => {
  it('is of version 7, in the form of RFC 9562', () => {
    for (let turn = 0; turn < 10_000; turn++)
      expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('sorts behind those that were made before, also many of one millisecond', () => {
    const ids = Array.from({ length: 50_000 }, () => uuidv7())
    expect(ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? ''))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('rises on where the clock goes back, and has whole milliseconds', () => {
    const before = uuidv7()
    vi.spyOn(Date, 'now').mockReturnValue(1_000.5)
    const behind = [uuidv7(), uuidv7()]
    expect([...behind].sort()).toEqual(behind)
    expect(behind[0] && behind[0] > before).toBe(true)
    expect(uuidv7(1_000.5)).toMatch(/^00000000-03e8-7/)
  })

  it('has the time at which it was made, or the one that is given', () => {
    const before = Date.now()
    expect(timeOf(uuidv7())).toBeGreaterThanOrEqual(before)
    expect(timeOf(uuidv7(1_645_557_742_000))).toBe(0x017f22e279b0)
    expect(timeOf(uuidv7(0))).toBe(0)
    expect(timeOf(uuidv7())).toBeGreaterThanOrEqual(before)
    expect(uuidv7(1_000)).not.toBe(uuidv7(1_000))
  })
})
