import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'

/**
 * Handler for a server of `node:http`. It returns false and leaves the response alone if the request is not for the
 * documentation.
 */
export type DocsHandler = (request: IncomingMessage, response: ServerResponse) => boolean

/** Base path of the built site. Served files have the real one in its place. */
export const BASE = '/__headgate_docs__/'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}
const TEXTS: ReadonlySet<string> = new Set(['html', 'js', 'css', 'md', 'txt', 'json'])

/** Folder of the built site, as seen from `src` and from `dist`. */
const SITE = new URL('../dist/site/', import.meta.url)

/**
 * Serves the documentation at `/docs`. Files are read when they are requested. The path of a request never names a file
 * on disk: it is looked up in the list of built files.
 *
 * @param basePath path below which browsers reach the gateway, such as `/models`. Default: none.
 * @param site folder of the built site. Default: the site of this package. Without a site, every page is a 404 with the
 *   command that builds it.
 */
export function createDocs(basePath = '', site: URL = SITE): DocsHandler {
  const root = `${basePath}/docs/`
  let files: ReadonlySet<string> = new Set()
  return (request, response) => {
    const { method, url = '/' } = request
    if (method !== 'GET' && method !== 'HEAD') return false
    const path = url.split('?', 1)[0] ?? ''
    if (path === '/docs') return redirect(response, root)
    if (!path.startsWith('/docs/')) return false
    if (files.size === 0) files = filesOf(site)
    const name = fileFor(decoded(path.slice('/docs/'.length)), files)
    if (name !== undefined)
      send(request, response, { name, bytes: readFileSync(new URL(name, site)), status: 200, root })
    else if (files.has('404.html'))
      send(request, response, { name: '404.html', bytes: readFileSync(new URL('404.html', site)), status: 404, root })
    else send(request, response, { name: 'missing.txt', bytes: Buffer.from(MISSING), status: 404, root })
    return true
  }
}

const MISSING =
  'The documentation site is not built yet. `pnpm start` builds it in the background, `pnpm build:site` immediately. The pages are in the folder `docs`, too.\n'

function filesOf(site: URL): ReadonlySet<string> {
  // The build writes this file last.
  if (!existsSync(new URL('llms.txt', site))) return new Set()
  return new Set(globSync('**/*.*', { cwd: fileURLToPath(site) }).map((name) => name.replaceAll('\\', '/')))
}

/** File of a path: `errors` and `errors.html` are the page `errors.html`, a folder is its `index.html`. */
function fileFor(path: string, files: ReadonlySet<string>): string | undefined {
  return [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((name) => files.has(name))
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function redirect(response: ServerResponse, location: string): true {
  response.writeHead(302, { location, 'content-length': 0 }).end()
  return true
}

interface SentFile {
  readonly name: string
  readonly bytes: Buffer
  readonly status: 200 | 404
  /** Path of the site, with slashes around it. */
  readonly root: string
}

function send(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { name, bytes, status, root }: SentFile,
): void {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  const body = TEXTS.has(ending) ? Buffer.from(bytes.toString().replaceAll(BASE, root)) : bytes
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const all: Record<string, string | number> = {
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-type': TYPES[ending] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    etag,
  }
  if (ending === 'html') all['content-security-policy'] = policyOf(body.toString())
  if (status === 200 && headers['if-none-match'] === etag) {
    response.writeHead(304, all).end()
    return
  }
  response.writeHead(status, { ...all, 'content-length': body.length })
  response.end(method === 'HEAD' ? undefined : body)
}

/** Content security policy of a page: its own files, and the inline scripts that the build wrote, by their hashes. */
function policyOf(page: string): string {
  const hashes = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
