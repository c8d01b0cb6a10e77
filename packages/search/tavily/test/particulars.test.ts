import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { countryName } from '../src/countries.ts'
import { tavily } from '../src/index.ts'

const backend = tavily({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)
const answer = (status: number, body: unknown) => ({ status, headers: {}, body, bytes: new Uint8Array() })

describe('Tavily', () => {
  it.each([
    ['de', 'germany'],
    ['us', 'united states'],
    ['gb', 'united kingdom'],
    ['ba', 'bosnia and herzegovina'],
    ['tt', 'trinidad and tobago'],
    ['tr', 'turkey'],
    ['mk', 'north macedonia'],
    ['kr', 'south korea'],
  ])('calls the country %s %s', (gl, country) => {
    expect(ask({ gl }).body).toMatchObject({ country })
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, gl })).toEqual([])
  })

  it('sends no country that Tavily does not know, and says so', () => {
    expect(ask({ gl: 'va' }).body).not.toHaveProperty('country')
    expect(backend.changes?.({ q: 'x', limit: 1, offset: 0, page: 0, parameters: {}, gl: 'va' })).toEqual(['gl'])
  })

  it('has a plain English name for each of the 166 countries that Tavily knows', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const names = letters.flatMap((first) => letters.flatMap((second) => countryName(first + second) ?? []))
    expect(new Set(names).size).toBe(166)
    expect(names.filter((name) => !/^[a-z]+( [a-z]+)*$/.test(name))).toEqual([])
  })

  it('leaves out no whole host where only a part of it is unwanted', () => {
    const exclude = [
      { host: 'example.com', path: '/docs' },
      { host: 'example.org', path: '' },
    ]
    expect(ask({ siteSearch: { include: [], exclude } }).body).toMatchObject({ exclude_domains: ['example.org'] })
  })

  it('cuts a long passage at the end of a word', () => {
    const content = 'gateway '.repeat(100)
    const [item] = read({ results: [{ url: 'https://example.com', content }] }).items
    expect(item?.snippet).toMatch(/^(gateway )+…$/)
    expect(item?.snippet?.length).toBeLessThan(330)
  })

  it('waits as long as Tavily tells those without a key', () => {
    const error = { code: 'hourly_cap', message: 'Too many.', retry_after_seconds: 90 }
    expect(backend.readError?.(answer(429, { error }))).toEqual({
      kind: 'rate-limited',
      message: 'Too many.',
      retryAfterMs: 90_000,
    })
  })

  it('costs nothing without a key', () => {
    expect(tavily({}).price).toEqual({ id: 'tavily-keyless', calls: 0 })
    expect(backend.price?.calls).toBe(8_000_000_000_000)
  })
})
