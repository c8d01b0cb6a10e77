import { existsSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { lockRun } from '../../src/journal/lock.ts'
import { segmentFile } from '../../src/journal/segment.ts'
import type { Write } from '../../src/journal/tail.ts'
import { diskWith, ids, open, recordsOf, temporaryFolder } from './journals.ts'
import { begin, end, ends } from './row.ts'

const write = () => vi.fn<Write>((file, buffer, offset, length) => writeSync(file, buffer, offset, length))

describe('Records of one turn of the event loop', () => {
  it('are one write, and are there when their promise resolves', async () => {
    const spy = write()
    const { journal } = open({ write: spy })
    spy.mockClear()
    const rows = [begin('first'), ...ends('row', 500), begin('last')]
    await Promise.all(rows.map((row) => journal.append(row)))
    expect(spy).toHaveBeenCalledOnce()
    expect(recordsOf(journal.folder)).toEqual(rows)
    expect(journal.written()).toMatchObject({ segment: 1, offset: statSync(segmentFile(journal.folder, 1)).size })
  })

  it('are not on the disk before its end, unless it is told to write', async () => {
    const { journal } = open()
    void journal.append(end('one'))
    expect(recordsOf(journal.folder)).toEqual([])
    journal.flush()
    expect(ids(recordsOf(journal.folder))).toEqual(['one'])
    await journal.append(end('two'))
    expect(ids(recordsOf(journal.folder))).toEqual(['one', 'two'])
  })
})

describe('A row with what JSON can not say', () => {
  it('is written without it, with all else, and keeps no other back', async () => {
    const { journal, problems } = open()
    const odd = end('odd', { durationMs: Number.NaN, cost: 12n })
    await Promise.all([end('before'), odd, end('after')].map((row) => journal.append(row)))
    expect(recordsOf(journal.folder)).toEqual([
      end('before'),
      end('odd', { durationMs: null, cost: '12' }),
      end('after'),
    ])
    expect([journal.lost(), problems]).toEqual([0, []])
  })

  it('is lost, and said, where it can not be written at all', async () => {
    const { journal, problems } = open()
    const circle: unknown[] = []
    circle.push(circle)
    await Promise.all(
      [end('before'), end('circle', { losses: circle }), end('after')].map((row) => journal.append(row)),
    )
    expect(ids(recordsOf(journal.folder))).toEqual(['before', 'after'])
    expect([journal.lost(), problems]).toEqual([1, [expect.stringContaining('req_circle')]])
  })
})

describe('A journal that can not be begun', () => {
  it('says where, why, and what to do', () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'journal'), '')
    expect(() => open({ dataDir })).toThrow(
      /^The journal in .*journal cannot be written: .* or choose another folder with --data-dir/,
    )
  })

  it('leaves nothing behind', () => {
    const dataDir = temporaryFolder()
    expect(() => open({ dataDir, write: diskWith(20).write })).toThrow('no space left on device')
    expect(readdirSync(join(dataDir, 'journal'))).toEqual([])
  })
})

describe('A journal that is closed', () => {
  it('has written all, and gives its lock to whoever asks', () => {
    const { journal } = open()
    void journal.append(end('one'))
    expect(lockRun(journal.folder)).toBeUndefined()
    journal.close()
    expect(ids(recordsOf(journal.folder))).toEqual(['one'])
    const lock = lockRun(journal.folder)
    expect(lock).toBeDefined()
    lock?.release()
    expect(existsSync(journal.folder)).toBe(true)
  })
})
