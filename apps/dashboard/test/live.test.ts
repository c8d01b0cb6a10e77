import { expect, it, vi } from 'vitest'
import { listenToChanges } from '../web/shell/live.ts'

/** A browser whose locks are given when the test says so. */
function stubBrowser() {
  const held: (() => Promise<void>)[] = []
  const streams: { isOpen: boolean; onopen?: () => void }[] = []
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
