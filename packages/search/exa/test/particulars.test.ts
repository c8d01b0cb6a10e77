import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { exa } from '../src/index.ts'

const backend = exa({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe('Exa', () => {
  it('costs what each answer says, in nano-dollars', () => {
    expect(read({ results: [], costDollars: { total: 0.007 } }).cost).toBe(7_000_000)
    expect(read({ results: [], costDollars: { total: '0.007' } }).cost).toBeUndefined()
    expect(read({ results: [] }).cost).toBeUndefined()
  })

  it('cuts a phrase to the five words that Exa looks for, and says so', () => {
    const exactTerms = 'one two  three four five six'
    expect(ask({ exactTerms }).body).toMatchObject({ includeText: ['one two three four five'] })
    const query = { q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, exactTerms, excludeTerms: 'zebra' }
    expect(backend.changes?.(query)).toEqual(['exactTerms'])
  })

  it('asks for highlights, and makes the snippet of the first', () => {
    expect(ask().body).toMatchObject({ contents: { highlights: true } })
    expect(
      read({ results: [{ url: 'https://example.com', highlights: ['First.', 'Second.'] }] }).items[0]?.snippet,
    ).toBe('First.')
    expect(read({ results: [{ url: 'https://example.com', title: null }] }).items).toEqual([
      { link: 'https://example.com' },
    ])
  })
})
