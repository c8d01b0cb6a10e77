import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { DashboardFile } from './files.ts'

/** The page that every address of the dashboard opens. */
export const PAGE = '/index.html'

/** A file in one encoding, with all headers of its answer. */
export interface Representation {
  readonly bytes: Buffer
  /** Strong: of these very bytes. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** Encodings of one file. */
export type Representations = Readonly<Partial<Record<Encoding, Representation>>> & {
  readonly identity: Representation
}

export type Theme = 'light' | 'dark'

export const THEMES: readonly Theme[] = ['light', 'dark']

/** Content security policy: no inline code, no other origins, no frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const OF_PAGES = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** Cache headers: for files with a hash in their name, and for files that browsers revalidate. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const EACH_TIME = 'no-cache'

/** Responses for a file, by encoding. */
export function representationsOf({ path, type, isImmutable, bytes, brotli, gzip }: DashboardFile): Representations {
  const isPage = type.startsWith('text/html')
  const headers = {
    'content-type': type,
    'cache-control': isImmutable ? FOR_EVER : EACH_TIME,
    // A cookie selects the theme of the page.
    vary: path === PAGE ? 'accept-encoding, cookie' : 'accept-encoding',
    ...COMMON,
    ...(isPage && OF_PAGES),
  }
  const one = (body: Buffer, encoding: Encoding): Representation => {
    const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
    const said = { ...headers, etag, ...(encoding !== 'identity' && { 'content-encoding': encoding }) }
    return { bytes: body, etag, headers: said }
  }
  return {
    identity: one(bytes, 'identity'),
    ...(brotli && { br: one(brotli, 'br') }),
    ...(gzip && { gzip: one(gzip, 'gzip') }),
  }
}

/** The page as browsers reach it below a path: pages of every depth load the same files. */
export function located(page: DashboardFile, basePath: string): DashboardFile {
  const content = basePath.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const html = page.bytes
    .toString()
    .replace('name="headgate-base" content=""', () => `name="headgate-base" content="${content}"`)
    .replaceAll(/ (src|href)="\.\//g, (_, name: string) => ` ${name}="${content}/`)
  return compressed(page, html)
}

/** Page in a chosen theme. Without it, the theme of the browser would show first. */
export function themed(page: DashboardFile, theme: Theme): DashboardFile {
  const html = page.bytes.toString().replace(/<html(?=[\s>])/i, `<html data-theme="${theme}"`)
  return compressed(page, html)
}

/** Page without the outline of a signed-in user, for pages of others. */
export function withoutOutline(page: DashboardFile): DashboardFile {
  const html = page.bytes.toString().replace(/<div id="root">[\s\S]*?(?=<noscript>)/, '<div id="root"></div>\n    ')
  return compressed(page, html)
}

/** Parts of a page that load together with its first script. */
export interface Preloads {
  /** Paths of scripts. */
  readonly scripts: readonly string[]
  /** True if the page asks for the signed-in user immediately. Otherwise a later request would get this response. */
  readonly user: boolean
}

/** Page that loads parts together with its first script. Otherwise the browser would learn of them from that script. */
export function preloading(page: DashboardFile, { scripts, user }: Preloads, basePath: string): DashboardFile {
  const base = basePath.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const links = [
    ...(user ? [`<link rel="preload" as="fetch" href="${base}/api/v1/me" crossorigin>`] : []),
    ...scripts.map((path) => `<link rel="modulepreload" crossorigin href="${base}${path}">`),
  ]
  return compressed(
    page,
    page.bytes.toString().replace('</head>', () => `  ${links.join('\n    ')}\n  </head>`),
  )
}

function compressed(page: DashboardFile, html: string): DashboardFile {
  const bytes = Buffer.from(html)
  return { ...page, bytes, brotli: brotliCompressSync(bytes), gzip: gzipSync(bytes) }
}
