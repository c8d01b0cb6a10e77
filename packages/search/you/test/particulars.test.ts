import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { you } from '../src/index.ts'

const { ask, read } = searchExchange(you({ apiKey: 'k' }))

describe('You.com', () => {
  it('asks another server where there is no key, unless the config names one', () => {
    expect(you({ apiKey: 'k' }).baseUrl).toBe('https://ydc-index.io')
    expect(you({}).baseUrl).toBe('https://api.you.com')
    expect(you({ baseUrl: 'https://proxy.example.com/' }).baseUrl).toBe('https://proxy.example.com')
    expect(you({}).price).toEqual({ id: 'you-keyless', calls: 0 })
  })

  it('leaves news out, which are a list by themselves', () => {
    const results = { web: [{ url: 'https://example.com' }], news: [{ url: 'https://news.example.com' }] }
    expect(read({ results }).items).toEqual([{ link: 'https://example.com' }])
    expect(read({ results: { news: results.news } }).items).toEqual([])
  })

  it('takes the description where there is no passage', () => {
    const web = [{ url: 'https://example.com', snippets: [], description: 'A page.' }]
    expect(read({ results: { web } }).items[0]?.snippet).toBe('A page.')
  })

  it('asks for several days as a range', () => {
    const { freshness } = ask({ dateRestrict: { unit: 'd', count: 3, since: '2026-01-10' } }).query
    expect(freshness).toMatch(/^2026-01-10to\d{4}-\d\d-\d\d$/)
  })

  it('sends no country and no language that You.com does not know', () => {
    const { query } = ask({ gl: 'ng', lr: 'sw' })
    expect(query).not.toHaveProperty('country')
    expect(query).not.toHaveProperty('language')
  })
})
