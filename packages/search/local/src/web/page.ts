import { createHash } from 'node:crypto'
import { type Change, type Document, isoDate } from '../document.ts'
import type { Extractor } from '../extract/extractor.ts'
import type { ReadOutcome } from '../intake.ts'
import { kindOfMedia, typeOfKind } from '../kind.ts'
import type { Entry } from '../store.ts'
import { type FetchedPage, get } from './get.ts'
import type { Listed } from './sitemap.ts'

export interface PageOptions {
  readonly most: number
  readonly known: Entry | undefined
  readonly extractor: Extractor
  readonly signal: AbortSignal
}

/** Validators of a page's content. */
interface Stamp {
  readonly lastmod?: string | undefined
  readonly etag?: string | undefined
  readonly modified?: string | undefined
}

/** Reads a page if it has changed; undefined otherwise. */
export async function readPage({ url, lastmod }: Listed, options: PageOptions): Promise<ReadOutcome | undefined> {
  const { most, known, signal } = options
  const before: Stamp = known?.hash ? readStamp(known.stamp) : {}
  if (lastmod !== undefined && before.lastmod === lastmod) return undefined

  const headers = {
    ...(before.etag && { 'if-none-match': before.etag }),
    ...(before.modified && { 'if-modified-since': before.modified }),
  }
  const answer = await get(url, { most, headers, signal })
  if ('reason' in answer) return { kind: 'unreached', path: url, ...answer }
  const { status } = answer
  if (status === 304) return { kind: 'keep', path: url, stamp: JSON.stringify({ ...before, lastmod }) }
  if (status === 404 || status === 410)
    return { kind: 'skip', path: url, stamp: '', reason: `responds with status ${status}` }
  if (status !== 200) return { kind: 'unreached', path: url, reason: `responds with status ${status}` }
  return readAnswer(answer, { url, lastmod }, options)
}

async function readAnswer(
  answer: FetchedPage,
  { url, lastmod }: Listed,
  { known, extractor }: PageOptions,
): Promise<Change> {
  const { bytes, headers } = answer
  const [mime = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const kind = kindOfMedia(mime.trim())
  if (!kind)
    return {
      kind: 'skip',
      path: url,
      stamp: '',
      reason: `is ${mime.trim() || 'of no type'}, not Markdown, HTML, text or PDF`,
    }

  const hash = createHash('sha256').update(bytes).digest('base64')
  const modified = headers.get('last-modified') ?? undefined
  const stamp = JSON.stringify({ lastmod, etag: headers.get('etag') ?? undefined, modified })
  if (known?.hash === hash) return { kind: 'keep', path: url, stamp }

  const charset = /charset="?([\w-]+)/.exec(parameters.join(';'))?.[1]
  const page = await extractor.extract({ bytes, kind, charset, base: answer.url })
  if ('reason' in page) return { kind: 'skip', path: url, stamp: '', reason: page.reason }
  const isOwn = page.url !== undefined && new URL(page.url).origin === new URL(url).origin
  const document: Document = {
    title: page.title ?? url,
    text: page.text,
    url: isOwn && page.url !== undefined ? page.url : url,
    type: typeOfKind(kind),
    mime: kind.mime,
    lang: page.lang,
    published: page.date,
    date: page.date ?? isoDate(lastmod) ?? httpDate(modified),
  }
  return { kind: 'put', path: url, stamp, hash, document }
}

function readStamp(stamp: string): Stamp {
  return stamp.startsWith('{') ? JSON.parse(stamp) : {}
}

function httpDate(text: string | undefined): string | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
