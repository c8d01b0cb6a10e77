import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { perplexity } from '../src/index.ts'

const backend = perplexity({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe('Perplexity Search', () => {
  it('writes the day from which on results count with the month first', () => {
    const dateRestrict = { unit: 'm', count: 5, since: '2026-06-21' } as const
    expect(ask({ dateRestrict }).body).toMatchObject({ search_after_date_filter: '06/21/2026' })
  })

  it.each([
    ['de', ['de'], []],
    ['zh-CN', ['zh'], ['lr']],
    ['fil', undefined, ['lr']],
  ])('filters by the language %s as %j', (lr, filter, changed) => {
    expect(Object(ask({ lr }).body).search_language_filter).toEqual(filter)
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, lr })).toEqual(changed)
  })

  it('keeps to sites where some are wanted and others not, for its filter takes one kind', () => {
    const siteSearch = {
      include: [{ host: 'example.com', path: '/docs' }],
      exclude: [{ host: 'old.example.com', path: '' }],
    }
    expect(ask({ siteSearch }).body).toMatchObject({ search_domain_filter: ['example.com'] })
  })

  it('takes the day of the last update where there is none of publication', () => {
    const results = [
      { url: 'https://example.com', title: 'One', snippet: 'Text.', date: null, last_updated: '2026-02-01' },
    ]
    expect(read({ results }).items[0]?.published).toBe('2026-02-01')
  })

  it('has a base URL of its own, beside that of the provider', () => {
    expect(perplexity.env).toEqual({ apiKey: ['PERPLEXITY_API_KEY'], baseUrl: ['PERPLEXITY_SEARCH_BASE_URL'] })
  })
})
