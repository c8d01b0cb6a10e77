import type { IncomingMessage, ServerResponse } from 'node:http'
import { type DashboardFile, dashboardFiles } from './files.ts'
import { accepted, isKnown, takesPages, themeOf } from './negotiation.ts'
import {
  located,
  PAGE,
  type Preloads,
  preloading,
  type Representation,
  type Representations,
  representationsOf,
  THEMES,
  themed,
  withoutOutline,
} from './representation.ts'

/**
 * A handler for a server of `node:http`. It returns false, and leaves the response alone, if the request is not for the
 * dashboard; a request for a model costs one look at its method or at the beginning of its path.
 */
export type Dashboard = (request: IncomingMessage, response: ServerResponse) => boolean

/** Paths that are not the dashboard's, with all below them. */
const ROOTS = ['/v1', '/v1beta', '/api', '/customsearch', '/healthz', '/readyz', '/metrics', '/openapi.json']

/** Pages for users who are not signed in. */
const ENTRANCES = /^\/(?:sign-in|sign-up|first|reset|forgot|invite)(?:\/|$)/

/** Page that `/` opens. */
const FIRST_PAGE = 'now'

let built: Dashboard | undefined

/** Serves the dashboard at `/`. It reads the files at the first request, and keeps them in memory. */
export function serveDashboard(request: IncomingMessage, response: ServerResponse): boolean {
  built ??= createDashboard() ?? (() => false)
  return built(request, response)
}

/**
 * Serves files from memory; undefined if there is no page among them. The path of a request never names a file on disk.
 * @param basePath path below which browsers reach the gateway, as `/models`.
 */
export function createDashboard(
  files: readonly DashboardFile[] = dashboardFiles(),
  basePath = '',
): Dashboard | undefined {
  const built = files.find(({ path }) => path === PAGE)
  if (!built) return undefined
  const page = located(built, basePath)
  const known = new Map(files.map((file) => [file.path, representationsOf(file)]))
  const outlined = pageInThemes(page)
  const entrance = pageInThemes(withoutOutline(page))
  const preloads = (preloads: Preloads) => once(() => pageInThemes(preloading(page, preloads, basePath)))
  const preloadings = new Map(
    Object.entries(built.scripts ?? {}).map(([name, scripts]) => [name, preloads({ scripts, user: true })]),
  )
  // Links to sign up or to reset a password have this path and a fragment, which is not sent.
  preloadings.set('', preloads({ scripts: built.scripts?.[FIRST_PAGE] ?? [], user: false }))
  const pageFor = ({ headers }: IncomingMessage, path: string): Representations => {
    const own = preloadings.get(path.split('/', 2)[1] ?? '')
    const { plain, themes } = ENTRANCES.test(path) ? entrance : (own?.() ?? outlined)
    const theme = themeOf(headers.cookie)
    return (theme && themes.get(theme)) ?? plain
  }

  return (request, response) => {
    const { method, url = '/', headers } = request
    if (method !== 'GET' && method !== 'HEAD') return false
    if (isOtherRoot(url)) return false
    const path = pathOf(url)
    if (isShared(path) && hasCredential(headers)) return false
    const file = path === PAGE ? pageFor(request, path) : known.get(path)
    if (file) answer(request, response, accepted(file, headers['accept-encoding']))
    else if (isAddress(path) && takesPages(headers.accept))
      answer(request, response, accepted(pageFor(request, path), headers['accept-encoding']))
    else return false
    return true
  }
}

/** Value that is computed at its first use. */
function once<Value>(compute: () => Value): () => Value {
  let value: { readonly of: Value } | undefined
  return () => {
    value ??= { of: compute() }
    return value.of
  }
}

function pageInThemes(page: DashboardFile) {
  return {
    plain: representationsOf(page),
    themes: new Map(THEMES.map((theme) => [theme, representationsOf(themed(page, theme))])),
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** True if the body has not fully arrived. On a persistent connection the rest would be read as the next request. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
}

function isOtherRoot(url: string): boolean {
  return ROOTS.some(
    (root) => url.startsWith(root) && (url.length === root.length || '/?'.includes(url[root.length] ?? '')),
  )
}

/** True for a path of a page that is also an API path without its version: `/models`. */
function isShared(path: string): boolean {
  return path === '/models' || path.startsWith('/models/')
}

/** True if the request has an API key. Browsers that open a page have none. */
function hasCredential(headers: IncomingMessage['headers']): boolean {
  return (
    /^bearer /i.test(headers.authorization ?? '') ||
    ['x-api-key', 'x-goog-api-key', 'api-key'].some((name) => headers[name])
  )
}

/** True for a path that may be a page of the dashboard. A path with a file ending names a missing file. */
function isAddress(path: string): boolean {
  return path.startsWith('/') && !path.slice(path.lastIndexOf('/')).includes('.')
}

function answer(request: IncomingMessage, response: ServerResponse, file: Representation): void {
  const { bytes, headers } = file
  const isSame = isKnown(file, request.headers['if-none-match'])
  const closing = isArriving(request) ? { connection: 'close' } : {}
  if (isSame) {
    const { 'content-type': _, 'content-encoding': __, ...rest } = headers
    response.writeHead(304, { ...rest, ...closing })
    response.end()
    return
  }
  response.writeHead(200, { ...headers, 'content-length': bytes.length, ...closing })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
