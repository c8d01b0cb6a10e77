import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { brave } from '../src/index.ts'

const backend = brave({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe('Brave Search', () => {
  it('asks for the whole world where it does not know a country, and says that it is not the same', () => {
    expect(ask({ gl: 'ng', lr: 'sw' }).query).toMatchObject({ country: 'ALL' })
    expect(ask({ gl: 'ng', lr: 'sw' }).query).not.toHaveProperty('search_lang')
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, gl: 'ng', lr: 'sw' })).toEqual([
      'gl',
      'lr',
    ])
  })

  it.each([
    ['en', 'en', []],
    ['zh-TW', 'zh-hant', []],
    ['pt-BR', 'pt-br', []],
    ['pt', 'pt-br', ['lr']],
    ['de-AT', 'de', ['lr']],
  ])('calls the language %s %s', (lr, name, changed) => {
    expect(ask({ lr }).query['search_lang']).toBe(name)
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, lr })).toEqual(changed)
  })

  it('asks for several weeks as a range of days', () => {
    const { freshness } = ask({ dateRestrict: { unit: 'w', count: 3, since: '2026-01-10' } }).query
    expect(freshness).toMatch(/^2026-01-10to\d{4}-\d\d-\d\d$/)
  })

  it('counts pages, not results', () => {
    expect(ask({ limit: 20, offset: 40, page: 2 }).query).toMatchObject({ count: '20', offset: '2' })
  })

  it('gives the words that were searched for where the spelling was mended', () => {
    expect(read({ query: { original: 'gatway', altered: 'gateway' } })).toMatchObject({
      items: [],
      correction: 'gateway',
    })
  })
})
