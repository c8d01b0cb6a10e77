import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { searxng } from '../src/index.ts'

const backend = searxng({ baseUrl: 'http://10.0.0.5:8888' })
const { ask, read } = searchExchange(backend)

describe('SearXNG', () => {
  it('says what to mend where the instance refuses JSON', () => {
    const answer = { status: 403, headers: {}, body: '<h1>Forbidden</h1>', bytes: new Uint8Array() }
    expect(backend.readError?.(answer)).toMatchObject({
      message: expect.stringContaining('enable `json` under search.formats in its settings.yml'),
    })
  })

  it.each([
    ['d', 1, 'day'],
    ['d', 3, 'week'],
    ['w', 2, 'month'],
    ['m', 6, 'year'],
    ['y', 2, undefined],
  ] as const)('asks for the shortest span that has %s%i', (unit, count, span) => {
    expect(ask({ dateRestrict: { unit, count, since: '2026-01-01' } }).query['time_range']).toBe(span)
  })

  it('needs the URL of an instance, and no key', () => {
    expect(() => searxng(Object({}))).toThrow()
    expect(searxng.env).toEqual({ baseUrl: ['SEARXNG_BASE_URL'] })
    expect(backend.price).toEqual({ id: 'searxng-own', calls: 0 })
  })

  it('gives the first correction, and images with their pages', () => {
    expect(read({ results: [], corrections: ['gateway', 'gatehouse'] }).correction).toBe('gateway')
    const image = {
      url: 'https://example.com/gates',
      title: 'A gate',
      img_src: 'https://example.com/gate.png',
      content: '',
    }
    expect(read({ results: [image] }, { searchType: 'image' }).items).toEqual([
      {
        link: 'https://example.com/gate.png',
        title: 'A gate',
        snippet: '',
        image: { contextLink: 'https://example.com/gates' },
      },
    ])
  })
})
