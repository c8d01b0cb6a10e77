import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIndexed } from './open.ts'
import { pdf } from './pdf.ts'

interface Page {
  readonly body: string | Uint8Array
  readonly type?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface Site {
  readonly origin: string
  readonly pages: Record<string, Page>
  readonly asked: { path: string; headers: IncomingHttpHeaders }[]
  /** Most requests that were open at once. */
  readonly busiest: () => number
}

/** A web site on this machine, for the length of one test. */
async function site(pages: (origin: string) => Record<string, Page>): Promise<Site> {
  const asked: Site['asked'] = []
  let open = 0
  let busiest = 0
  let all: Record<string, Page> = {}
  const server = createServer(({ url: path = '', headers }, response) => {
    asked.push({ path, headers })
    busiest = Math.max(busiest, ++open)
    response.on('close', () => open--)
    const page = all[path]
    const etag = page?.headers?.['etag']
    if (etag !== undefined && headers['if-none-match'] === etag) return response.writeHead(304).end()
    response.writeHead(page?.status ?? (page ? 200 : 404), {
      'content-type': page?.type ?? 'text/html; charset=utf-8',
      ...page?.headers,
    })
    response.end(page?.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  all = pages(origin)
  return { origin, pages: all, asked, busiest: () => busiest }
}

const urlset = (...urls: string[]) =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`

describe('A sitemap', () => {
  it('leads to the pages of its site, also through an index of sitemaps and zipped ones', async () => {
    const { origin } = await site((at) => ({
      '/sitemap.xml': {
        body: `<sitemapindex><sitemap><loc>${at}/a.xml</loc></sitemap><sitemap><loc>${at}/b.xml.gz</loc></sitemap></sitemapindex>`,
      },
      '/a.xml': { body: urlset(`${at}/one?a=1&amp;b=2`, 'http://elsewhere.invalid/x') },
      '/b.xml.gz': {
        body: gzipSync(
          urlset(
            `${at}/two`,
            `${at}/three.pdf`,
            `${at}/moved`,
            `${at}/picture`,
            `${at}/gone`,
            `${at}/away`,
            `${at}/hidden`,
          ),
        ),
      },
      '/one?a=1&b=2': { body: '<html lang="en"><title>One</title><nav>words</nav><main>Some words' },
      '/two': { body: '# Two\nwords', type: 'text/markdown' },
      '/three.pdf': { body: pdf('printed words', { title: 'Three' }), type: 'application/pdf' },
      '/moved': { body: '', status: 301, headers: { location: '/two' } },
      '/picture': { body: 'words', type: 'image/png' },
      '/away': { body: '', status: 302, headers: { location: 'http://elsewhere.invalid/' } },
      '/hidden': { body: '<meta name="robots" content="noindex"><p>words' },
    }))
    const { search, index } = await openIndexed({ sitemap: `${origin}/sitemap.xml` })
    const { items } = await search('words')
    expect(items.map(({ link }) => link.slice(origin.length)).sort()).toEqual([
      '/moved',
      '/one?a=1&b=2',
      '/three.pdf',
      '/two',
    ])
    expect(items.find(({ title }) => title === 'One')?.snippet).toBe('Some words')
    const { skipped } = await index()
    expect(Object.fromEntries(skipped.map(({ path, reason }) => [path.replace(origin, ''), reason]))).toEqual({
      '/away': 'redirects to another site',
      '/gone': 'responds with status 404',
      '/hidden': 'excluded from search by the page (robots: noindex)',
      '/picture': 'is image/png, not Markdown, HTML, text or PDF',
      'http://elsewhere.invalid/x': 'is on another site than its sitemap',
    })
  })

  it('is read politely: four pages at once, and again only what has changed', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/p${i}`)
    const { origin, pages, asked, busiest } = await site((at) => ({
      '/sitemap.xml': { body: urlset(...paths.map((path) => at + path)) },
      ...Object.fromEntries(
        paths.map((path) => [path, { body: `<title>${path}</title><p>words`, headers: { etag: `"${path}"` } }]),
      ),
    }))
    const { search, index, titles } = await openIndexed({ sitemap: `${origin}/sitemap.xml` })
    expect((await search('words')).total).toBe(30)
    expect(busiest()).toBeLessThanOrEqual(4)

    const before = asked.length
    pages['/p3'] = { body: '<title>Anew</title><p>others', headers: { etag: '"new"' } }
    pages['/p4'] = { body: 'busy', status: 503 }
    const report = await index()
    expect(asked.slice(before).filter(({ headers }) => headers['if-none-match']).length).toBe(30)
    expect(await titles('others')).toEqual(['Anew'])
    expect(report).toEqual({ documents: 30, skipped: [{ path: `${origin}/p4`, reason: 'responds with status 503' }] })

    pages['/sitemap.xml'] = { body: urlset(`${origin}/p3`) }
    expect((await index()).documents).toBe(1)
    pages['/sitemap.xml'] = { body: '', status: 500 }
    expect((await index()).documents).toBe(1)
  })
})

describe('A JSON feed', () => {
  it('gives its items, page after page', async () => {
    const item = {
      id: '1',
      url: 'https://blog.example.com/1',
      title: 'First',
      content_html: '<p>Some <b>words</b></p>',
      date_published: '2025-05-06T07:08:09Z',
    }
    const { origin, pages } = await site((at) => ({
      '/feed.json': {
        type: 'application/feed+json',
        body: JSON.stringify({
          version: 'https://jsonfeed.org/version/1.1',
          language: 'en',
          items: [item, { id: 2, content_text: 'no URL' }, { title: 'no id' }],
          next_url: `${at}/more.json`,
        }),
      },
      '/more.json': {
        body: JSON.stringify({
          items: [{ id: 'https://blog.example.com/3', content_text: 'Third words', title: 'Third' }],
          next_url: `${at}/feed.json`,
        }),
      },
    }))
    const { search, index } = await openIndexed({ feed: `${origin}/feed.json` })
    const { items } = await search('words')
    expect(items.map(({ link }) => link).sort()).toEqual(['https://blog.example.com/1', 'https://blog.example.com/3'])
    expect(items.find(({ title }) => title === 'First')).toMatchObject({
      snippet: 'Some words',
      published: '2025-05-06T07:08:09.000Z',
    })
    expect((await search('words', { lr: 'de' })).total).toBe(1)
    expect((await index()).skipped.map(({ reason }) => reason).sort()).toEqual(['broken: it has no id', 'has no URL'])

    pages['/feed.json'] = { body: JSON.stringify({ items: [{ ...item, title: 'First anew' }] }) }
    expect((await index()).documents).toBe(1)
    expect((await search('words')).items.map(({ title }) => title)).toEqual(['First anew'])
  })
})
