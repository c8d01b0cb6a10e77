import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { type Refusal, webUrl } from '../document.ts'
import { get } from './get.ts'

/** Limits of the protocol for one sitemap. */
const MOST_BYTES = 52_428_800
const MOST_PAGES = 50_000
/** Maximum number of sitemaps in a sitemap index. */
const MOST_SITEMAPS = 500

/** Page in a sitemap. */
export interface Listed {
  readonly url: string
  readonly lastmod?: string | undefined
}

export interface SitemapPages {
  readonly pages: readonly Listed[]
  /** Pages that could not be read. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** Pages of a sitemap, or of the sitemaps in a sitemap index, on the sitemap's origin. */
export async function readSitemap(url: string, signal: AbortSignal): Promise<SitemapPages> {
  const { origin } = new URL(url)
  const pages = new Map<string, Listed>()
  const refused: { path: string; reason: string }[] = []
  const ahead = [url]
  const seen = new Set(ahead)
  for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
    const found = await load(next, signal)
    if ('reason' in found) {
      refused.push({ path: next, ...found })
      continue
    }
    for (const page of found.pages) {
      if (new URL(page.url).origin !== origin)
        refused.push({ path: page.url, reason: 'is on another site than its sitemap' })
      else if (pages.size < MOST_PAGES || pages.has(page.url)) pages.set(page.url, page)
      else refused.push({ path: page.url, reason: `is beyond the first ${MOST_PAGES} pages` })
    }
    for (const { url: sitemap } of found.sitemaps) {
      if (seen.has(sitemap) || new URL(sitemap).origin !== origin || seen.size >= MOST_SITEMAPS) continue
      seen.add(sitemap)
      ahead.push(sitemap)
    }
  }
  return { pages: [...pages.values()], refused }
}

interface Sitemap {
  readonly pages: readonly Listed[]
  readonly sitemaps: readonly Listed[]
}

async function load(url: string, signal: AbortSignal): Promise<Sitemap | Refusal> {
  const answer = await get(url, { most: MOST_BYTES, signal })
  if ('reason' in answer) return answer
  if (answer.status !== 200) return { reason: `responds with status ${answer.status}` }
  try {
    const isZipped = answer.bytes[0] === 0x1f && answer.bytes[1] === 0x8b
    const bytes = isZipped ? gunzipSync(answer.bytes, { maxOutputLength: MOST_BYTES }) : answer.bytes
    return parseSitemap(new TextDecoder().decode(bytes), url)
  } catch {
    return { reason: 'broken: it cannot be decompressed' }
  }
}

/** Reads `urlset` and `sitemapindex`. */
export function parseSitemap(xml: string, base: string): Sitemap {
  const pages: Listed[] = []
  const sitemaps: Listed[] = []
  let entry: { loc?: string; lastmod?: string } = {}
  let text = ''
  const parser = new Parser(
    {
      onopentag(name) {
        text = ''
        if (name === 'url' || name === 'sitemap') entry = {}
      },
      ontext(part) {
        text += part
      },
      onclosetag(name) {
        if (name === 'loc') entry.loc = text.trim()
        if (name === 'lastmod') entry.lastmod = text.trim()
        if (name !== 'url' && name !== 'sitemap') return
        const url = webUrl(entry.loc, base)
        if (url) (name === 'url' ? pages : sitemaps).push({ url, lastmod: entry.lastmod })
      },
    },
    { xmlMode: true },
  )
  parser.write(xml)
  parser.end()
  return { pages, sitemaps }
}
