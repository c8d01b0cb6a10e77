import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import { normalizeMime, sniff } from '../canonical/media.ts'
import { HeadgateError, invalid } from '../errors.ts'
import { isPublicAddress } from './address.ts'
import { codingsOf, decodeAll } from './content-coding.ts'

const MAX_REDIRECTS = 3
const TIME_MS = 10_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HEADERS = { accept: 'image/*, application/pdf', 'accept-encoding': 'identity', 'user-agent': 'headgate' }

/** Content types that say nothing: the first bytes decide. */
const UNTYPED: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream'])
/** Enough bytes to know a type by, and a multiple of three, so that their base64 is that of the whole. */
const SNIFFED = 24

export interface Address {
  readonly address: string
  readonly family: number
}

/** What is downloaded: a URL, and the path of the field that has it. */
export interface Wanted {
  readonly path: string
  readonly url: string
}

export interface Downloaded {
  readonly bytes: Buffer
  /** `image/…` or `application/pdf`. */
  readonly mime: string
}

export interface DownloadOptions {
  /** Most bytes of one download. */
  readonly limit: number
  /** Milliseconds for one download, redirects included; by default 10,000. */
  readonly time?: number
  /** Hosts whose addresses need not be public. */
  readonly allowPrivate?: readonly string[] | undefined
  /** The addresses of a host; by default those that the system knows. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>
}

/** Rejects with HeadgateError: `invalid-request` that names the field, or the reason of the signal. */
export type Download = (wanted: Wanted, signal: AbortSignal) => Promise<Downloaded>

/** What keeps a URL from being fetched, as the end of a sentence that names it. */
function refused(why: string): HeadgateError {
  return invalid(undefined, why)
}

/** A URL without what may be secret in it. */
function shown(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? ` from ${`${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200)}` : ''
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** @throws HeadgateError for a URL that is never fetched, whatever it leads to. */
function checkedUrl(source: string, base?: URL): URL {
  const url = URL.parse(source, base?.href)
  if (!url) throw refused(base ? 'it redirects to something that is no URL' : 'it is no URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('only http and https are fetched')
  if (url.username !== '' || url.password !== '') throw refused('a URL with a user name or a password is not fetched')
  return url
}

/** A promise that ends with the signal, where what it waits for does not. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The media type of what a server declares, unless it is neither an image nor a PDF; undefined = the bytes decide. */
function declaredType(header: string | string[] | undefined): string | undefined {
  const type = normalizeMime(String(header ?? ''))
  if (UNTYPED.has(type)) return undefined
  if (type === 'application/pdf' || /^image\/[a-z0-9.+-]+$/.test(type)) return type
  throw refused(`its content type is ${type.slice(0, 80)}, neither an image nor a PDF`)
}

function typeOf(bytes: Buffer): string {
  const type = sniff(bytes.subarray(0, SNIFFED).toString('base64'))
  if (type === undefined) throw refused('its content is neither an image nor a PDF that is known by its first bytes')
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
 * Downloads images and PDFs that callers name by URL, under a guard: http and https only, to public addresses only. A host is
 * resolved once and the connection is made to an address that was checked, so that it can not change in between; a redirect
 * is checked likewise. Nothing of the caller's request goes along. It does not go through a proxy, which would resolve anew.
 */
export function createDownload({ limit, time = TIME_MS, allowPrivate = [], resolve = systemAddresses }: DownloadOptions): Download {
  const exempt = new Set(allowPrivate.map((host) => host.toLowerCase().replace(/\.$/, '')))

  /** What answers for a host. One answer for what is not known and what is not public, so that callers learn nothing of a network. */
  const addressesOf = async (host: string, signal: AbortSignal): Promise<readonly Address[]> => {
    const family = isIP(host)
    const found = family > 0 ? [{ address: host, family }] : await until(signal, resolve(host)).catch(() => [])
    signal.throwIfAborted()
    if (found.length > 0 && (exempt.has(host) || found.every(({ address }) => isPublicAddress(address)))) return found
    throw refused(`the host ${host.slice(0, 100)} has no public address`)
  }

  /** One request: the answer's content, or where it redirects to. */
  const ask = async (url: URL, signal: AbortSignal): Promise<Downloaded | URL> => {
    const host = hostOf(url)
    const client = new Client(originOf(url, host), {
      allowH2: false,
      connect: { lookup: pinned(await addressesOf(host, signal)) },
    })
    try {
      const answer = await client.request({ method: 'GET', path: url.pathname + url.search, headers: HEADERS, signal })
      // What is left unread fails when the connection is closed, and nobody waits for it.
      answer.body.on('error', () => {})
      const { location } = answer.headers
      if (REDIRECTS.has(answer.statusCode) && typeof location === 'string') return checkedUrl(location, url)
      if (answer.statusCode !== 200) throw refused(`it answered with status ${answer.statusCode}`)
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
      // One answer for what is refused, silent, reset or no HTTP, so that callers can not look for open ports.
      const why =
        HeadgateError.is(error) && !clock.aborted ? wordsOf(error) : `the connection failed, or it took longer than ${time / 1000} seconds`
      throw invalid(path, `${path} can not be fetched${shown(url)}: ${why}. Mend the URL, or send the content itself as base64.`)
    }
  }
}

function systemAddresses(host: string): Promise<readonly Address[]> {
  return lookup(host, { all: true })
}

function originOf({ protocol, port }: URL, host: string): string {
  return `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`
}

/** A `lookup` of sockets that knows these addresses only. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_, { all }, done) => {
    const [first] = addresses
    if (all) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}

/** What can not be decoded is said by whoever decodes, for answers of every kind. */
function wordsOf({ kind, message }: HeadgateError): string {
  return kind === 'upstream' ? 'its content is compressed in a way that can not be read' : message
}
