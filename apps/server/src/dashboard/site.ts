import type { IncomingMessage, ServerResponse } from 'node:http'
import { isArriving, pathOf } from '../service/plain-answer.ts'
import { accepted, isKnown, takesPages, themeOf } from './negotiation.ts'
import {
  located,
  type Representation,
  type Representations,
  representationsOf,
  THEMES,
  themed,
} from './representation.ts'
import { PAGE, type SiteFile } from './site-file.ts'

/** The dashboard on the listener of the program. */
export interface Site {
  /**
   * False for what is not of the dashboard, which costs a request of a model one look at its method or at the beginning
   * of its path.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

/** What is not the dashboard's, with all that lies below it. */
const ROOTS = ['/v1', '/v1beta', '/api', '/customsearch', '/healthz', '/readyz', '/metrics', '/openapi.json']

/**
 * Serves files from memory; undefined if there is no page among them. The path of a request never names a file on disk.
 * @param basePath path below which browsers reach the gateway, as `/models`.
 */
export function createSite(files: readonly SiteFile[], basePath = ''): Site | undefined {
  const built = files.find(({ path }) => path === PAGE)
  if (!built) return undefined
  const page = located(built, basePath)
  const known = new Map(files.map((file) => [file.path, representationsOf(file)]))
  const plain = representationsOf(page)
  const pages = new Map(THEMES.map((theme) => [theme, representationsOf(themed(page, theme))]))
  const pageFor = ({ headers }: IncomingMessage): Representations => {
    const theme = themeOf(headers.cookie)
    return (theme && pages.get(theme)) ?? plain
  }

  return {
    handle(request, response) {
      const { method, url = '', headers } = request
      if (method !== 'GET' && method !== 'HEAD') return false
      if (isElsewhere(url)) return false
      const path = pathOf(request)
      if (isShared(path) && hasCredential(headers)) return false
      const file = path === PAGE ? pageFor(request) : known.get(path)
      if (file) answer(request, response, accepted(file, headers['accept-encoding']))
      else if (isAddress(path) && takesPages(headers.accept))
        answer(request, response, accepted(pageFor(request), headers['accept-encoding']))
      else return false
      return true
    },
  }
}

function isElsewhere(url: string): boolean {
  return ROOTS.some(
    (root) => url.startsWith(root) && (url.length === root.length || '/?'.includes(url[root.length] ?? '')),
  )
}

/** Whether a path is both a page and, without its version, a path of the API: `/models`. */
function isShared(path: string): boolean {
  return path === '/models' || path.startsWith('/models/')
}

/** Whether a request has an API key, as browsers that open a page never have. */
function hasCredential(headers: IncomingMessage['headers']): boolean {
  return (
    /^bearer /i.test(headers.authorization ?? '') ||
    ['x-api-key', 'x-goog-api-key', 'api-key'].some((name) => headers[name])
  )
}

/** Whether it may be an address within the dashboard: what has an ending is a file, and one that is not there. */
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
