import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { serper } from '../src/index.ts'

const backend = serper({ apiKey: 'k' })
const { ask, read } = searchExchange(backend)

describe('Serper', () => {
  it('goes on after a page that is shorter than ten, and ends with an empty one', () => {
    const organic = [{ link: 'https://example.com', title: 'One' }]
    expect(read({ organic }).more).toBe(true)
    expect(read({ organic: [] }).more).toBe(false)
    expect(read({}).more).toBe(false)
  })

  it('says that a span of several months is only close to what was asked for', () => {
    const changes = (count: number) =>
      backend.changes?.({
        q: 'x',
        limit: 10,
        offset: 0,
        page: 0,
        parameters: {},
        dateRestrict: { unit: 'm', count, since: '2026-01-01' },
      })
    expect(changes(1)).toEqual([])
    expect(changes(6)).toEqual(['dateRestrict'])
  })

  // Written from https://serper.dev/playground, search type "images".
  it('finds images, each with its page and its sizes', () => {
    const image = { title: 'A gate', imageUrl: 'https://example.com/gate.png', imageWidth: 640, imageHeight: 480 }
    const thumbnail = { thumbnailUrl: 'https://example.com/small.png', thumbnailWidth: 160, thumbnailHeight: 120 }
    const body = { images: [{ ...image, ...thumbnail, source: 'Example', link: 'https://example.com/gates' }] }
    expect(ask({ searchType: 'image' })).toMatchObject({ method: 'POST', path: '/images' })
    expect(read(body, { searchType: 'image' }).items).toEqual([
      {
        link: 'https://example.com/gate.png',
        title: 'A gate',
        snippet: 'Example',
        thumbnail: 'https://example.com/small.png',
        image: {
          contextLink: 'https://example.com/gates',
          width: 640,
          height: 480,
          thumbnailLink: 'https://example.com/small.png',
          thumbnailWidth: 160,
          thumbnailHeight: 120,
        },
      },
    ])
  })
})
