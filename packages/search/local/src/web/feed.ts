import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Change, isoDate, type Refusal, webUrl } from '../document.ts'
import { readHtml, squeeze } from '../extract/html.ts'
import { get } from './get.ts'

const MOST_BYTES = 52_428_800
/** Maximum number of pages of a feed. */
const MOST_PAGES = 100

const text = z.string().optional().catch(undefined)

/** @see https://www.jsonfeed.org/version/1.1/ */
const itemSchema = z.object({
  id: z.union([z.string(), z.number().transform(String)]),
  url: text,
  external_url: text,
  title: text,
  content_html: text,
  content_text: text,
  summary: text,
  date_published: text,
  date_modified: text,
  language: text,
})
const feedSchema = z.object({ items: z.array(z.unknown()), language: text, next_url: text })

export interface FeedItems {
  readonly changes: readonly Change[]
  /** Items that could not be read. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** Items of a feed with their content, in its order. */
export async function readFeed(url: string, signal: AbortSignal): Promise<FeedItems> {
  const changes: Change[] = []
  const refused: { path: string; reason: string }[] = []
  const seen = new Set<string>()
  for (let next: string | undefined = url; next !== undefined && !seen.has(next) && seen.size < MOST_PAGES; ) {
    seen.add(next)
    const feed = await load(next, signal)
    if ('reason' in feed) {
      refused.push({ path: next, ...feed })
      break
    }
    for (const [index, item] of feed.items.entries()) changes.push(changeOf(item, index, url, feed.language))
    const following: string | undefined = webUrl(feed.next_url, next)
    next = following !== undefined && new URL(following).origin === new URL(url).origin ? following : undefined
  }
  return { changes, refused }
}

async function load(url: string, signal: AbortSignal): Promise<z.output<typeof feedSchema> | Refusal> {
  const answer = await get(url, { most: MOST_BYTES, signal })
  if ('reason' in answer) return answer
  if (answer.status !== 200) return { reason: `responds with status ${answer.status}` }
  try {
    return feedSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.bytes)))
  } catch {
    return { reason: 'broken: it is not a JSON feed' }
  }
}

function changeOf(value: unknown, index: number, feed: string, language: string | undefined): Change {
  const { success, data: item } = itemSchema.safeParse(value)
  if (!success) return { kind: 'skip', path: `${feed}#[${index}]`, stamp: '', reason: 'broken: it has no id' }
  const path = `${feed}#${item.id}`
  const url = webUrl(item.url, feed) ?? webUrl(item.external_url, feed) ?? webUrl(item.id)
  if (!url) return { kind: 'skip', path, stamp: '', reason: 'has no URL' }

  const hash = createHash('sha256').update(JSON.stringify(item)).digest('base64')
  const body = item.content_text ?? (item.content_html === undefined ? '' : readHtml(item.content_html).text)
  const document = {
    title: squeeze(item.title ?? item.summary ?? '') || url,
    text: body || (item.summary ?? ''),
    url,
    type: 'html',
    mime: 'text/html',
    lang: item.language ?? language,
    published: isoDate(item.date_published),
    date: isoDate(item.date_modified ?? item.date_published),
  }
  return { kind: 'put', path, stamp: hash, hash, document }
}
