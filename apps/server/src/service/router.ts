import type { ManagementHandler } from '@headgate/accounts/node'
import type { Dashboard } from '@headgate/dashboard'
import { createDocs } from '@headgate/docs'
import type { Entrance, Handler } from './listener.ts'
import type { Serving } from './serving.ts'

export interface RouterParts {
  /** Path of the public URL; see {@link basePathOf}. */
  readonly basePath: string
  readonly management?: ManagementHandler | undefined
  readonly dashboard?: Dashboard | undefined
  /** Part of the program that serves the next request. */
  serving(): Serving
}

/** Router by first path segment: management API, documentation, dashboard, operations, or gateway. */
export function createRouter({ basePath, management, dashboard, serving }: RouterParts): Handler {
  const docs = createDocs(basePath)
  return (request, response, awaitsContinue) => {
    if (basePath !== '') request.url = withoutBasePath(request.url ?? '/', basePath)
    const { gateway, operations } = serving()
    switch (firstSegment(request.url)) {
      case 'v1':
      case 'v1beta':
        return gateway.node(request, response, awaitsContinue)
      case 'api':
        // `/api/v3` is a path of models.
        if (!management?.handle(request, response, awaitsContinue)) gateway.node(request, response, awaitsContinue)
        return
      case 'docs':
        if (!docs(request, response)) gateway.node(request, response, awaitsContinue)
        return
      default:
        if (dashboard?.(request, response) || operations(request, response)) return
        gateway.node(request, response, awaitsContinue)
    }
  }
}

function firstSegment(url = '/'): string {
  const slash = url.indexOf('/', 1)
  const end = slash < 0 ? url.length : slash
  const query = url.indexOf('?', 1)
  return url.slice(1, query < 0 ? end : Math.min(query, end))
}

/** Handlers of a server that already listens. Requests wait until `open` is called. */
export interface DeferredEntrance extends Entrance {
  open(entrance: Entrance): void
}

export function createEntrance(): DeferredEntrance {
  const waiting: Parameters<Handler>[] = []
  let inner: Entrance | undefined
  return {
    handle: (request, response, awaitsContinue) => {
      if (inner) inner.handle(request, response, awaitsContinue)
      else waiting.push([request, response, awaitsContinue])
    },
    clientError: (error, socket) => (inner ? inner.clientError(error, socket) : void socket.destroy()),
    open: (entrance) => {
      inner = entrance
      for (const one of waiting.splice(0)) entrance.handle(...one)
    },
  }
}

/**
 * First segments of the gateway's own paths. A request below one of them may or may not have been rewritten by a proxy.
 */
const OWN = new Set([
  ...['v1', 'v1beta', 'api', 'customsearch', 'healthz', 'readyz', 'metrics', 'openapi.json', 'assets'],
  ...['chat', 'completions', 'messages', 'responses', 'embeddings', 'rerank'],
])

/**
 * Path of the public URL, below which a proxy serves the gateway, such as `/models`; no trailing slash. Empty if the
 * URL has no path.
 */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/**
 * Request target without the base path. Proxies may remove the base path or pass it on. A base path that begins like
 * one of the gateway's own paths is ambiguous and is not removed: the proxy must remove it.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath) || OWN.has(basePath.split('/')[1] ?? '')) return target
  const rest = target.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : target
}
