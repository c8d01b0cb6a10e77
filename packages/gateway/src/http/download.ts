import { normalizeMime, sniff } from '@headgate/core/canonical'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { Dispatcher } from 'undici'
import { codingsOf, decodeAll } from './content-coding.ts'
import { checkedUrl, type Guard, refused } from './guard.ts'

const MAX_REDIRECTS = 3
const TIME_MS = 10_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HEADERS = { accept: 'image/*, application/pdf', 'accept-encoding': 'identity', 'user-agent': 'headgate' }

/** Content types without information; the first bytes decide. */
const UNTYPED: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream'])
/** Bytes that identify a type. A multiple of three, so that their base64 is a prefix of the whole base64. */
const SNIFFED_BYTES = 24

/** Media to download: its URL, and the path of the field with the URL. */
export interface DownloadTarget {
  readonly path: string
  readonly url: string
}

export interface Downloaded {
  readonly bytes: Buffer
  /** `image/…` or `application/pdf`. */
  readonly mime: string
}

export interface DownloadOptions {
  /** Maximum bytes per download. */
  readonly limit: number
  /** Timeout per download in milliseconds, redirects included; default 10,000. */
  readonly time?: number
  readonly guard: Guard
}

/**
 * Downloads media. Rejects with HeadgateError `invalid-request` that names the field, or with the reason of the signal.
 */
export type Download = (wanted: DownloadTarget, signal: AbortSignal) => Promise<Downloaded>

/** URL without parts that may be secret. */
function shown(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? ` from ${`${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200)}` : ''
}

/** Declared media type if it is an image or a PDF; undefined = the bytes decide. */
function declaredType(header: string | string[] | undefined): string | undefined {
  const type = normalizeMime(String(header ?? ''))
  if (UNTYPED.has(type)) return undefined
  if (type === 'application/pdf' || /^image\/[a-z0-9.+-]+$/.test(type)) return type
  throw refused(`its content type is ${type.slice(0, 80)}, which is neither an image nor a PDF`)
}

function typeOf(bytes: Buffer): string {
  const type = sniff(bytes.subarray(0, SNIFFED_BYTES).toString('base64'))
  if (type === undefined) throw refused('its content is not a known image or PDF')
  return type
}

async function readBody({ headers, body }: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const tooLarge = (): HeadgateError => refused(`it has more than ${limit} bytes`)
  if (Number(headers['content-length']) > limit) throw tooLarge()
  const codings = codingsOf(headers['content-encoding'])
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer): void => {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  if (codings) await decodeAll(body, codings, take)
  else for await (const chunk of body) take(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * Creates a function that downloads images and PDFs from URLs of callers. A guard limits it to http and https and to
 * public addresses, for redirects as well. It sends nothing of the caller's request.
 */
export function createDownload({ limit, time = TIME_MS, guard }: DownloadOptions): Download {
  /** Sends one request. Returns the content, or the target of a redirect. */
  const ask = async (url: URL, signal: AbortSignal): Promise<Downloaded | URL> => {
    const client = await guard.connect(url, signal)
    try {
      const answer = await client.request({ method: 'GET', path: url.pathname + url.search, headers: HEADERS, signal })
      // The unread rest of a body fails when the connection is closed; ignore that.
      answer.body.on('error', () => {})
      const { location } = answer.headers
      if (REDIRECTS.has(answer.statusCode) && typeof location === 'string') return checkedUrl(location, url)
      if (answer.statusCode !== 200) throw refused(`the server responded with status ${answer.statusCode}`)
      const type = declaredType(answer.headers['content-type'])
      const bytes = await readBody(answer, limit)
      return { bytes, mime: type ?? typeOf(bytes) }
    } finally {
      client.destroy().catch(() => {})
    }
  }

  const follow = async (source: string, signal: AbortSignal): Promise<Downloaded> => {
    let url = checkedUrl(source)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await ask(url, signal)
      if (!(answer instanceof URL)) return answer
      url = answer
    }
    throw refused(`it redirects more than ${MAX_REDIRECTS} times`)
  }

  return async ({ path, url }, signal) => {
    const clock = AbortSignal.timeout(time)
    try {
      return await follow(url, AbortSignal.any([signal, clock]))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // Blocked, silent, reset and non-HTTP hosts get the same message, so that callers cannot scan ports.
      const why =
        HeadgateError.is(error) && !clock.aborted
          ? reasonOf(error)
          : `the connection failed, or it took longer than ${time / 1000} seconds`
      throw invalid(path, `${path} cannot be fetched${shown(url)}: ${why}. Fix the URL, or send the content as base64.`)
    }
  }
}

/** Shorter reason for decoding errors, which are worded for all responses. */
function reasonOf({ kind, message }: HeadgateError): string {
  return kind === 'upstream' ? 'its content cannot be decompressed' : message
}
