/**
 * First segments of the gateway's own paths: a request below one of them may or may not have been rewritten by a proxy.
 */
const OWN = new Set([
  ...['v1', 'v1beta', 'api', 'customsearch', 'healthz', 'readyz', 'metrics', 'openapi.json', 'assets'],
  ...['chat', 'completions', 'messages', 'responses', 'embeddings', 'rerank'],
])

/**
 * Path of the public URL, below which a proxy serves the gateway: `/models`, without a slash at its end; empty for
 * none.
 */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/**
 * A request target without the base path. Some proxies remove the base path, others pass it on: both work.
 * A base path that begins like one of the gateway's own paths is not removed, since it could be either: the proxy must
 * remove it.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath) || OWN.has(basePath.split('/')[1] ?? '')) return target
  const rest = target.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : target
}
