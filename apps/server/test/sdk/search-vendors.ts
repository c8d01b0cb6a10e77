import type { Received, UpstreamReply } from '@headgate/conformance'

/** So many results each vendor has for everything that is asked. */
export const RESULTS = 40

/** The n-th result of a vendor, from 1. */
export const linkOf = (vendor: string, n: number): string => `https://www.example.com/docs/${vendor}/${n}`

const numbers = (first: number, count: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(count, RESULTS - first)) }, (_, index) => first + index + 1)

/**
 * Answers as the manual has them: pages of `count`, by their index.
 * @see https://api-dashboard.search.brave.com/app/documentation/web-search/responses
 */
export function brave({ path, query }: Received): UpstreamReply {
  const count = Number(query.get('count') ?? 20)
  const first = Number(query.get('offset') ?? 0) * count
  const found = numbers(first, count)
  if (path.includes('image')) {
    const results = found.map((n) => ({
      title: `Picture <strong>${n}</strong>`,
      url: linkOf('brave', n),
      source: 'www.example.com',
      properties: { url: `https://img.example.com/${n}.png`, width: 640, height: 480 },
      thumbnail: { src: `https://thumb.example.com/${n}.png`, width: 64, height: 48 },
    }))
    return { kind: 'whole', body: { type: 'images', query: { original: query.get('q') }, results } }
  }
  const results = found.map((n) => ({
    type: 'search_result',
    title: `Result <strong>${n}</strong> of Brave`,
    url: linkOf('brave', n),
    description: `All about <strong>routing</strong> &amp; result ${n}`,
    page_age: '2026-05-04T00:00:00',
    thumbnail: { src: `https://thumb.example.com/${n}.png` },
  }))
  const more = first + count < RESULTS
  return {
    kind: 'whole',
    body: {
      type: 'search',
      query: { original: query.get('q'), more_results_available: more },
      web: { type: 'search', results },
    },
  }
}

/**
 * Answers as the manual's examples do: pages of ten, from 1.
 * @see https://serper.dev/playground
 */
export function serper({ path, body }: Received): UpstreamReply {
  const { q, num = 10, page = 1 } = Object(body)
  const found = numbers((page - 1) * num, num)
  const parameters = { q, num, page, engine: 'google' }
  if (path.endsWith('images')) {
    const images = found.map((n) => ({
      title: `Picture ${n}`,
      imageUrl: `https://img.example.com/${n}.png`,
      imageWidth: 640,
      imageHeight: 480,
      thumbnailUrl: `https://thumb.example.com/${n}.png`,
      thumbnailWidth: 64,
      thumbnailHeight: 48,
      link: linkOf('serper', n),
      position: n,
    }))
    return { kind: 'whole', body: { searchParameters: { ...parameters, type: 'images' }, images, credits: 2 } }
  }
  const organic = found.map((n, index) => ({
    title: `Result ${n} of Serper`,
    link: linkOf('serper', n),
    snippet: `All about routing & result ${n}`,
    date: 'May 4, 2026',
    position: index + 1,
  }))
  return { kind: 'whole', body: { searchParameters: { ...parameters, type: 'search' }, organic, credits: 1 } }
}
