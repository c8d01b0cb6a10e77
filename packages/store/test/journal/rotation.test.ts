import { describe, expect, it } from 'vitest'
import { ids, open, read } from './journals.ts'
import { begin, end, ends } from './row.ts'

describe('A segment', () => {
  it('that is large is followed by another one, which begins with the requests that have not ended', async () => {
    const { journal } = open({ rotate: { bytes: 2_000, ms: 1e9 } })
    const again = begin('open', { at: 1_700_000_000_001, provider: 'second' })
    await Promise.all([begin('over'), begin('open'), again].map((record) => journal.append(record)))
    await journal.append(end('over'))
    await Promise.all(ends('row', 4).map((row) => journal.append(row)))
    expect(journal.written().segment).toBe(1)
    await journal.append(begin('new'))
    await journal.append(end('open'))
    expect(journal.written().segment).toBe(2)
    const [, second] = read(journal.folder)
    expect(second?.records).toEqual([{ ...begin('open'), again: 1 }, { ...again, again: 2 }, begin('new'), end('open')])
  })

  it('that is old is followed by another one when something is written, and never before', async () => {
    let time = 0
    const { journal } = open({ now: () => time })
    time = 60_000
    journal.flush()
    expect(journal.written().segment).toBe(1)
    await journal.append(end('one'))
    // It was empty: nothing in it waits for being removed.
    expect(journal.written().segment).toBe(1)
    await journal.append(end('two'))
    expect(journal.written().segment).toBe(2)
    time += 9_999
    await journal.append(end('three'))
    expect(read(journal.folder).map(({ records }) => ids(records))).toEqual([['one'], ['two', 'three']])
  })

  it('carries on what is open however often it is followed', async () => {
    let time = 0
    const { journal } = open({ now: () => time })
    await journal.append(begin('open'))
    for (const row of ends('row', 3)) {
      time += 10_000
      await journal.append(row)
    }
    expect(read(journal.folder).map(({ records }) => ids(records))).toEqual([
      ['open'],
      ['open', 'row0'],
      ['open', 'row1'],
      ['open', 'row2'],
    ])
  })

  it('is not followed by another one for what it carries on alone', async () => {
    const { journal } = open({ rotate: { bytes: 1_000, ms: 1e9 } })
    await Promise.all(Array.from({ length: 20 }, (_, index) => journal.append(begin(`open${index}`))))
    for (const row of ends('row', 2)) await journal.append(row)
    expect(journal.written().segment).toBe(2)
    expect(ids(read(journal.folder)[1]?.records ?? []).slice(-2)).toEqual(['row0', 'row1'])
  })
})
