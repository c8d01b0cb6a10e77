/** What other gateways put before the paths of a format: it says how a client speaks, and pins no provider. */
const FORMAT = /^\/(?:openai|anthropic|google|gemini|genai)(?=\/v1)/
/** Versions before the one that counts: a client adds its own to a base URL that has one. */
const VERSIONS = /^(?:\/v1(?:beta1?)?)+(?=\/v1(?:beta1?)?(?:\/|$))/

/** A path without what clients write too much of: slashes, a version before the version, the name of a format. */
export function canonicalPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
  return plain.replace(FORMAT, '').replace(VERSIONS, '')
}

/** What stands in a path behind a base path; undefined = it is another path. */
export function behind(basePath: string, path: string): string | undefined {
  if (basePath === '') return path
  const plain = path.replace(/^\/{2,}/, '/')
  return plain.startsWith(`${basePath}/`) || plain === basePath ? plain.slice(basePath.length) : undefined
}
