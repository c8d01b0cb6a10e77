import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { googleCse } from '../src/index.ts'

const { ask, read } = searchExchange(googleCse({ apiKey: 'k', cx: 'engine:1' }))

describe('Google Custom Search', () => {
  it('sends every parameter as the caller wrote it, and its own cx', () => {
    const parameters = {
      lr: 'lang_de|lang_fr',
      imgSize: 'HUGE',
      searchType: 'image',
      siteSearch: 'example.com',
      siteSearchFilter: 'e',
    }
    expect(ask({ limit: 5, offset: 20, parameters }).query).toEqual({
      ...parameters,
      q: 'gateways',
      cx: 'engine:1',
      num: '5',
      start: '21',
    })
  })

  // Written from https://developers.google.com/custom-search/v1/reference/rest/v1/Search
  it('keeps what is only in its items and its answers', () => {
    const item = {
      link: 'https://example.com/a.pdf',
      mime: 'application/pdf',
      fileFormat: 'PDF/Adobe Acrobat',
      labels: [{ name: 'docs', displayName: 'Docs' }],
      image: { contextLink: 'https://example.com', width: 640 },
    }
    const page = read({
      items: [{ ...item, htmlTitle: '<b>A</b>' }],
      promotions: [{ title: 'First' }],
      spelling: { correctedQuery: 'gate' },
    })
    expect(page).toMatchObject({ correction: 'gate', fields: { promotions: [{ title: 'First' }] } })
    const { link, mime, ...fields } = item
    expect(page.items).toEqual([{ link, mime, fields }])
  })

  it('takes whatever speaks its API under another base URL', () => {
    expect(googleCse({ apiKey: 'k', cx: 'docs', baseUrl: 'https://gateway.example.com' })).toMatchObject({
      baseUrl: 'https://gateway.example.com',
      credential: { kind: 'header', name: 'x-goog-api-key', value: 'k' },
    })
  })

  it('says in its title until when it serves', () => {
    expect(googleCse.title).toContain('2027-01-01')
  })
})
