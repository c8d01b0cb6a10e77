/** First segments of the paths below `/v1` that clients also call without a version. */
const UNVERSIONED = '(?:chat/completions|completions|messages|responses|embeddings|rerank|models)(?:/|$)'
/**
 * Path prefixes of other gateways and vendors: a format's name, Google's `/v1beta/openai`, Azure's `/openai` and
 * `/openai/v1`, Ark's `/api/v3`. They do not select a provider.
 * @see https://ai.google.dev/gemini-api/docs/openai
 * @see https://learn.microsoft.com/azure/foundry/openai/reference
 * @see https://www.volcengine.com/docs/82379/1298454
 */
const PREFIX = new RegExp(
  `^/(?:(?:v1(?:beta1?)?/)?(?:openai|anthropic|google|gemini|genai)|api/v3)(?=/v1|/${UNVERSIONED})`,
)
/** Repeated versions: a client adds its version to a base URL that already has one. */
const VERSIONS = /^(?:\/v1(?:beta1?)?)+(?=\/v1(?:beta1?)?(?:\/|$))/
const WITHOUT_VERSION = new RegExp(`^/(?=${UNVERSIONED})`)

/** Documented spelling of a path: single slashes, no prefix of another gateway, one version. */
export function canonicalPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
  return plain.replace(PREFIX, '').replace(VERSIONS, '').replace(WITHOUT_VERSION, '/v1/')
}

/** Path below a base path; undefined if the path is not below it. */
export function behind(basePath: string, path: string): string | undefined {
  if (basePath === '') return path
  const plain = path.replace(/^\/{2,}/, '/')
  return plain.startsWith(`${basePath}/`) || plain === basePath ? plain.slice(basePath.length) : undefined
}
