import { invalid } from '../errors.ts'

/** What a path leads to. */
export type Door =
  | { kind: 'chat'; format: string; model?: string; stream?: boolean; framing?: 'sse' | 'json-array' }
  | { kind: 'count-tokens'; format: string; model?: string }
  | { kind: 'models'; format: string; id?: string }
  | { kind: 'openapi' }

/** A path with the methods that it knows. */
export interface Route {
  readonly methods: Readonly<Partial<Record<string, Door>>>
}

/**
 * Paths of generateContent: those of the Gemini API, and those of Vertex AI, whose project, location and publisher do not route.
 * The official client writes the version that it was made for.
 */
const GENERATE = /^\/v1(?:beta1?)?\/(?:(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/[^/]+\/)?models\/(.+):([A-Za-z]+)$/
const GENERATE_PREFIX = /^\/v1(?:beta1?\/|\/projects\/|\/publishers\/)/

/** The format whose error shape a path's callers understand, known or not. */
export function formatOfPath(path: string): string {
  if (path.startsWith('/v1/messages')) return 'messages'
  return GENERATE_PREFIX.test(path) || GENERATE.test(path) ? 'generate-content' : 'chat-completions'
}

const FIXED: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': { methods: { POST: { kind: 'chat', format: 'chat-completions' } } },
  '/v1/messages': { methods: { POST: { kind: 'chat', format: 'messages' } } },
  '/v1/messages/count_tokens': { methods: { POST: { kind: 'count-tokens', format: 'messages' } } },
  '/v1/models': { methods: { GET: { kind: 'models', format: 'chat-completions' } } },
  '/v1beta/models': { methods: { GET: { kind: 'models', format: 'generate-content' } } },
  '/openapi.json': { methods: { GET: { kind: 'openapi' } } },
}

/** Paths that name one model. */
const ONE_MODEL: Readonly<Record<string, string>> = { '/v1/models/': 'chat-completions', '/v1beta/models/': 'generate-content' }

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('model', 'The model in the path is not valid percent-encoding.')
  }
}

function generateRoute(path: string, query: string): Route | undefined {
  const [, encoded = '', action = ''] = GENERATE.exec(path) ?? []
  const format = 'generate-content'
  const model = decode(encoded)
  switch (action) {
    case 'generateContent':
      return { methods: { POST: { kind: 'chat', format, model, stream: false } } }
    case 'streamGenerateContent': {
      const framing = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array'
      return { methods: { POST: { kind: 'chat', format, model, stream: true, framing } } }
    }
    case 'countTokens':
      return { methods: { POST: { kind: 'count-tokens', format, model } } }
    default:
      return undefined
  }
}

/** What a path leads to; undefined for a path that does not exist. */
export function routeOf(path: string, query: string): Route | undefined {
  const fixed = Object.hasOwn(FIXED, path) ? FIXED[path] : undefined
  if (fixed) return fixed
  const generate = generateRoute(path, query)
  if (generate) return generate
  const prefix = Object.keys(ONE_MODEL).find((one) => path.startsWith(one) && path.length > one.length)
  const format = prefix && ONE_MODEL[prefix]
  if (!format) return undefined
  return { methods: { GET: { kind: 'models', format, id: decode(path.slice(prefix.length)) } } }
}
