import { expect, it, onTestFinished, vi } from 'vitest'
import { listenToChanges } from '../web/shell/live.ts'

/** A browser whose locks are given when the test says so. */
function stubBrowser() {
  const held: (() => Promise<void>)[] = []
  const streams: { isOpen: boolean; onopen?: () => void; onerror?: () => void }[] = []
  class Stream {
    static readonly CLOSED = 2
    isOpen = true
    constructor() {
      streams.push(this)
    }
    addEventListener(): void {}
    close(): void {
      this.isOpen = false
    }
  }
  // Another file of this worker must not import modules with these.
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('navigator', {
    locks: { request: async (_name: string, _options: object, hold: () => Promise<void>) => void held.push(hold) },
  })
  return { held, streams }
}

it('A window that has left holds no stream, even where the lock comes to it afterwards', async () => {
  const { held, streams } = stubBrowser()
  const left = listenToChanges(() => {})
  left()
  const stay = listenToChanges(() => {})
  // Both have asked; the first is given it late, and hands it on.
  await held[0]?.()
  expect(streams).toEqual([])
  const holding = held[1]?.()
  expect(streams).toMatchObject([{ isOpen: true }])
  expect(() => streams[0]?.onopen?.()).not.toThrow()
  stay()
  await holding
  expect(streams).toMatchObject([{ isOpen: false }])
})

it('A window connects again ever less often while the gateway is away, and soon once it was there', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { held, streams } = stubBrowser()
  const leave = listenToChanges(() => {})
  void held[0]?.()
  const after = (ms: number): number => {
    const before = streams.length
    for (let passed = 0; passed < ms; passed += 500) {
      if (streams.at(-1)?.isOpen) streams.at(-1)?.onerror?.()
      vi.advanceTimersByTime(500)
    }
    return streams.length - before
  }
  expect(after(60_000)).toBeGreaterThanOrEqual(4)
  // At most every 15 s, and at least every 30 s.
  const tries = after(3_600_000)
  expect(tries).toBeLessThanOrEqual(240)
  expect(tries).toBeGreaterThanOrEqual(115)
  while (!streams.at(-1)?.isOpen) vi.advanceTimersByTime(500)
  streams.at(-1)?.onopen?.()
  expect(after(10_000)).toBeGreaterThanOrEqual(2)
  leave()
  vi.advanceTimersByTime(600_000)
  expect(streams.filter(({ isOpen }) => isOpen)).toEqual([])
})
