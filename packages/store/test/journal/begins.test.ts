import { describe, expect, it } from 'vitest'
import { createOpenBegins } from '../../src/journal/begins.ts'
import type { JournalRecord } from '../../src/journal/record.ts'
import { begin, end } from './row.ts'

/** What is open after these records. */
function open(...records: readonly JournalRecord[]) {
  const begins = createOpenBegins()
  for (const record of records) begins.add(record)
  return begins.all()
}

const first = begin('open')
const carried = [begin('open', { again: 1 }), begin('open', { again: 2 })]

describe('Begins without an end', () => {
  it('are those of requests that have not ended', () => {
    expect(open(begin('over'), first, end('over'), end('other'))).toEqual([first])
  })

  it('are one for each call of an upstream, also where two calls look alike', () => {
    expect(open(first, first)).toEqual([first, first])
  })

  it('count once, however often a segment carried them on', () => {
    expect(open(first, first, ...carried, ...carried)).toEqual([first, first])
    expect(open(...carried, ...carried)).toEqual(carried)
    expect(open(...carried, end('open'))).toEqual([])
  })
})
