import { statSync, writeSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { segmentFile } from '../../src/journal/segment.ts'
import { diskWith, ids, open, read, recordsOf } from './journals.ts'
import { begin, end, ends } from './row.ts'

/** The clock of retries and of `fsync`, which goes when it is told to. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('A short write', () => {
  it('of any length is gone on with, and no byte is there twice', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 12 })
    fc.assert(
      fc.property(lengths, (shares) => {
        const left = [...shares]
        const { journal, problems } = open({
          fsync: 'never',
          write: (file, buffer, offset, length) =>
            writeSync(file, buffer, offset, Math.min(length, left.shift() ?? length)),
        })
        for (const row of ends('row', 4)) void journal.append(row)
        journal.close()
        expect(read(journal.folder)).toMatchObject([{ records: ends('row', 4), damaged: [], torn: false }])
        expect(problems).toEqual([])
      }),
      { numRuns: 50 },
    )
  })
})

describe('A full disk', () => {
  it('wherever it ends keeps whole lines alone, and has all rows once, when there is room again', async () => {
    stopClock()
    const { journal: sample } = open()
    const empty = sample.written().offset
    await Promise.all(ends('row', 3).map((row) => sample.append(row)))
    const needed = sample.written().offset - empty
    for (const room of [...Array.from({ length: needed / 37 }, (_, step) => step * 37), needed - 1]) {
      const disk = diskWith(1e9)
      const { journal, problems } = open({ write: disk.write, fsync: 'never' })
      await journal.append(end('before'))
      disk.room(room)
      await Promise.all(ends('row', 3).map((row) => journal.append(row)))
      expect([journal.writable(), problems.length]).toEqual([false, 1])
      expect(problems[0]).toContain('no space left on device')
      for (const { damaged, torn } of read(journal.folder)) expect([damaged, torn]).toEqual([[], false])
      await journal.append(end('more'))
      const whole = recordsOf(journal.folder).length
      expect(whole + journal.waiting()).toBe(5)
      const { segment, offset } = journal.written()
      expect(statSync(segmentFile(journal.folder, segment)).size).toBe(offset)

      disk.room(1e9)
      vi.advanceTimersByTime(1_000)
      expect([journal.writable(), journal.waiting(), journal.lost()]).toEqual([true, 0, 0])
      await journal.append(end('after'))
      expect(ids(recordsOf(journal.folder))).toEqual(['before', 'row0', 'row1', 'row2', 'more', 'after'])
      expect(problems).toHaveLength(1)
      journal.close()
    }
  })

  it('is tried once a second, and fills with no segments meanwhile', async () => {
    stopClock()
    let isFull = false
    const { journal } = open({
      // Room for the head of a segment, and for no row.
      write: (file, buffer, offset, length) => {
        if (isFull && length > 250) throw new Error('no space left on device')
        return writeSync(file, buffer, offset, length)
      },
    })
    await journal.append(end('before'))
    isFull = true
    await journal.append(end('row'))
    vi.advanceTimersByTime(5_000)
    expect([journal.writable(), journal.waiting(), read(journal.folder).length]).toEqual([false, 1, 2])
    isFull = false
    vi.advanceTimersByTime(1_000)
    expect(ids(recordsOf(journal.folder))).toEqual(['before', 'row'])
  })

  it('makes 10,000 records wait, and names the requests whose rows it costs', async () => {
    stopClock()
    const disk = diskWith(1e9)
    const { journal, problems } = open({ write: disk.write })
    disk.room(0)
    await journal.append(end('first'))
    await Promise.all(ends('row', 10_149).map((row) => journal.append(row)))
    expect([journal.waiting(), journal.lost(), problems.length]).toEqual([10_000, 150, 1])
    vi.advanceTimersByTime(1_000)
    expect(problems).toHaveLength(2)
    expect(problems[1]).toMatch(
      /^150 usage rows are lost \(no space left on device\); requests: req_row9999, .* and 50 more$/,
    )
    disk.room(1e9)
    vi.advanceTimersByTime(1_000)
    expect([journal.waiting(), journal.lost(), journal.writable(), recordsOf(journal.folder).length]).toEqual([
      0,
      150,
      true,
      10_000,
    ])
  })

  it('that is full at the end costs what waits, and says which rows', async () => {
    const disk = diskWith(1e9)
    const { journal, problems } = open({ write: disk.write })
    disk.room(0)
    await Promise.all([begin('open'), end('one'), end('two')].map((record) => journal.append(record)))
    journal.close()
    expect([journal.lost(), journal.waiting()]).toEqual([2, 0])
    expect(problems.slice(1)).toEqual([
      '2 usage rows are lost (no space left on device); requests: req_one, req_two',
      '1 records of reservations are lost (no space left on device)',
    ])
    await journal.append(end('late'))
    expect([journal.lost(), problems.at(-1)]).toEqual([3, expect.stringContaining('req_late')])
  })
})

describe('A file that takes no more', () => {
  it('is followed by another one', async () => {
    let first: number | undefined
    let left = 700
    const { journal, problems } = open({
      write: (file, buffer, offset, length) => {
        first ??= file
        if (file !== first) return writeSync(file, buffer, offset, length)
        if (left === 0) throw new Error('file too large')
        const written = writeSync(file, buffer, offset, Math.min(length, left))
        left -= written
        return written
      },
    })
    const opened = begin('open')
    await Promise.all([opened, end('one')].map((record) => journal.append(record)))
    expect(read(journal.folder).map(({ records }) => ids(records))).toEqual([['open'], ['open', 'one']])
    expect([journal.writable(), problems]).toEqual([true, []])
  })
})
