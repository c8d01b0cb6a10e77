import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { removeRun } from '../../src/journal/process-run.ts'
import type { Disk } from '../../src/journal/sync.ts'
import { open } from './journals.ts'
import { end, ends } from './row.ts'

/** The clock of retries and of `fsync`, which goes when it is told to. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('What is written is made safe from a loss of power', () => {
  function watched() {
    let done: ((error: Error | null) => void) | undefined
    const disk = {
      syncNow: vi.fn<Disk['syncNow']>(),
      syncSoon: vi.fn<Disk['syncSoon']>((_, tell) => {
        done = tell
      }),
    }
    return {
      disk,
      finish: (error: Error | null = null) => done?.(error),
      calls: () => [disk.syncNow.mock.calls.length, disk.syncSoon.mock.calls.length],
    }
  }

  it('each second while something is written, by default', async () => {
    stopClock()
    const { disk, finish, calls } = watched()
    const { journal, problems } = open({ disk })
    vi.advanceTimersByTime(1_000)
    finish()
    expect(calls()).toEqual([0, 1])
    vi.advanceTimersByTime(60_000)
    expect(calls()).toEqual([0, 1])
    await journal.append(end('one'))
    await journal.append(end('two'))
    vi.advanceTimersByTime(999)
    expect(calls()).toEqual([0, 1])
    vi.advanceTimersByTime(1)
    expect(calls()).toEqual([0, 2])
    // A slow disk has one at a time.
    await journal.append(end('three'))
    vi.advanceTimersByTime(60_000)
    expect(calls()).toEqual([0, 2])
    finish()
    vi.advanceTimersByTime(1_000)
    expect(calls()).toEqual([0, 3])
    finish(new Error('input/output error'))
    expect(problems).toEqual([
      expect.stringContaining('cannot be synced to the disk, so a power loss can lose rows: input/output error'),
    ])
    await journal.append(end('four'))
    journal.close()
    expect(calls()).toEqual([1, 3])
  })

  it('when a segment is followed by another one', async () => {
    stopClock()
    const { disk, finish, calls } = watched()
    const { journal } = open({ disk, rotate: { bytes: 1, ms: 1e9 } })
    await journal.append(end('one'))
    await journal.append(end('two'))
    expect([calls(), journal.written().segment]).toEqual([[0, 1], 2])
    finish()
  })

  it('before anybody is told, where it is said so', async () => {
    const { disk, calls } = watched()
    const { journal } = open({ disk, fsync: 'always' })
    await Promise.all(ends('row', 3).map((row) => journal.append(row)))
    await journal.append(end('more'))
    expect(calls()).toEqual([3, 0])
  })

  it('never, where it is said so', async () => {
    stopClock()
    const { disk, calls } = watched()
    const { journal } = open({ disk, fsync: 'never' })
    await journal.append(end('row'))
    vi.advanceTimersByTime(60_000)
    journal.close()
    expect(calls()).toEqual([0, 0])
  })

  it('unless the life is over and its folder gone by then, which is no problem', async () => {
    stopClock()
    const { disk, finish } = watched()
    const { journal, problems } = open({ disk })
    vi.advanceTimersByTime(1_000)
    journal.close()
    removeRun(journal.folder)
    finish()
    for (let turn = 0; turn < 4; turn++) await readdir(journal.folder).catch(() => {})
    expect(problems).toEqual([])
  })
})
