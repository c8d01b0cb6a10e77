import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { firecrawl } from '../src/index.ts'

const backend = firecrawl({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe('Firecrawl', () => {
  it('asks for several months as a range of days, the month first', () => {
    const { tbs } = Object(ask({ dateRestrict: { unit: 'm', count: 6, since: '2026-05-21' } }).body)
    expect(tbs).toMatch(/^cdr:1,cd_min:05\/21\/2026,cd_max:\d\d\/\d\d\/\d{4}$/)
  })

  it('sends domains to keep to or domains to leave out, never both', () => {
    const siteSearch = {
      include: [{ host: 'example.com', path: '' }],
      exclude: [{ host: 'old.example.com', path: '' }],
    }
    expect(ask({ siteSearch }).body).toMatchObject({ includeDomains: ['example.com'] })
    expect(ask({ siteSearch }).body).not.toHaveProperty('excludeDomains')
  })

  // Written from https://docs.firecrawl.dev/api-reference/endpoint/search
  it('finds images, each with its page and its size', () => {
    const images = [
      {
        title: 'A gate',
        imageUrl: 'https://example.com/gate.png',
        imageWidth: 640,
        imageHeight: 480,
        url: 'https://example.com/gates',
      },
    ]
    expect(read({ success: true, data: { images } }, { searchType: 'image' }).items).toEqual([
      {
        link: 'https://example.com/gate.png',
        title: 'A gate',
        image: { contextLink: 'https://example.com/gates', width: 640, height: 480 },
      },
    ])
  })

  it('takes an answer without success for a failure, whatever its status', () => {
    const answer = { status: 200, headers: {}, body: { success: false, error: 'No luck.' }, bytes: new Uint8Array() }
    expect(backend.readError?.(answer)).toEqual({ kind: 'upstream', message: 'No luck.' })
  })

  it('knows what it costs only without a key', () => {
    expect(backend.price).toBeUndefined()
    expect(firecrawl({}).price).toEqual({ id: 'firecrawl-keyless', calls: 0 })
  })
})
