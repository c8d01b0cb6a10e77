import { invalid } from '../errors.ts'
import { headerOf, type Incoming } from './sink.ts'

/** What a path leads to. */
export type Door =
  | { kind: 'chat'; format: string; model?: string; stream?: boolean; framing?: 'sse' | 'json-array' }
  | { kind: 'count-tokens'; format: string; model?: string }
  | { kind: 'models'; id?: string }
  | { kind: 'search' }
  | { kind: 'openapi' }

/** A path with the methods that it knows. */
export interface Route {
  readonly methods: Readonly<Partial<Record<string, Door>>>
}

const ACTIONS = ['generateContent', 'streamGenerateContent', 'countTokens'] as const
type Action = (typeof ACTIONS)[number]

/** Every path, as it is documented. */
export const PATHS = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  ...ACTIONS.map((action) => `/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:${action}` as const),
  ...ACTIONS.map((action) => `/v1beta/models/{model}:${action}` as const),
  '/v1/models',
  '/v1/models/{id}',
  '/v1beta/models',
  '/v1beta/models/{id}',
  '/customsearch/v1',
  '/openapi.json',
] as const

export type Path = (typeof PATHS)[number]
type ListPath = Extract<Path, `${string}/models`>
type FixedPath = Exclude<Path, `${string}{${string}` | ListPath>

/** Where searches go; a gateway without search has no such path. */
export const SEARCH: Route = { methods: { GET: { kind: 'search' } } }
/** What the format of its callers is called. */
export const SEARCH_FORMAT = 'customsearch'

const FIXED: Readonly<Record<FixedPath, Route>> = {
  '/v1/chat/completions': { methods: { POST: { kind: 'chat', format: 'chat-completions' } } },
  '/v1/messages': { methods: { POST: { kind: 'chat', format: 'messages' } } },
  '/v1/messages/count_tokens': { methods: { POST: { kind: 'count-tokens', format: 'messages' } } },
  '/customsearch/v1': SEARCH,
  '/openapi.json': { methods: { GET: { kind: 'openapi' } } },
}

/**
 * Where models are: those of the Gemini API, and those of Vertex AI, whose project, location and publisher do not route. The
 * official client writes the version that it was made for.
 */
const MODELS = '^/v1(?:beta1?)?/(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/[^/]+/)?models'
const GENERATE = new RegExp(`${MODELS}/(.+):(${ACTIONS.join('|')})$`)
const LIST = new RegExp(`${MODELS}(?:/(.+))?$`)
/** A verb of the Gemini API, known or not. To a GET it is the end of a model's id. */
const VERB = new RegExp(`${MODELS}/.+:[A-Za-z]+$`)
const GENERATE_PREFIX = /^\/v1(?:beta1?\/|\/projects\/|\/publishers\/)/

/** Headers by which clients are known that ask for the list of models under the path of another format. */
const LIST_FORMATS: Readonly<Record<string, string>> = {
  'anthropic-version': 'messages',
  'x-goog-api-client': 'generate-content',
  'x-goog-api-key': 'generate-content',
}

/** The format that the caller of a path understands, known or not. */
export function formatOfCaller(path: string, incoming: Pick<Incoming, 'method' | 'headers'>): string {
  if (path.startsWith('/v1/messages')) return 'messages'
  if (path.startsWith('/customsearch/')) return SEARCH_FORMAT
  if (GENERATE_PREFIX.test(path) || GENERATE.test(path) || isVerb(path, incoming.method)) return 'generate-content'
  const client = LIST.test(path) && Object.keys(LIST_FORMATS).find((name) => headerOf(incoming, name) !== undefined)
  return (client && LIST_FORMATS[client]) || 'chat-completions'
}

function isVerb(path: string, method: string): boolean {
  return method === 'POST' && VERB.test(path)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('model', 'The model in the path is not valid percent-encoding.')
  }
}

function generateRoute(model: string, action: Action, query: string): Route {
  const format = 'generate-content'
  switch (action) {
    case 'generateContent':
      return { methods: { POST: { kind: 'chat', format, model, stream: false } } }
    case 'streamGenerateContent': {
      const framing = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array'
      return { methods: { POST: { kind: 'chat', format, model, stream: true, framing } } }
    }
    case 'countTokens':
      return { methods: { POST: { kind: 'count-tokens', format, model } } }
  }
}

/** What a path leads to; undefined for a path that does not exist. `method` tells a verb from a model whose id ends like one. */
export function routeOf(path: string, query: string, method = 'GET'): Route | undefined {
  if (Object.hasOwn(FIXED, path)) return FIXED[path as FixedPath]
  const [, model, action] = GENERATE.exec(path) ?? []
  if (model !== undefined) return generateRoute(decode(model), action as Action, query)
  if (isVerb(path, method)) return undefined
  const list = LIST.exec(path)
  return list ? { methods: { GET: { kind: 'models', ...(list[1] !== undefined && { id: decode(list[1]) }) } } } : undefined
}
