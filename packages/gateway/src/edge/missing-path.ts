import { HeadgateError } from '@headgate/core/errors'
import { behind, canonicalPath } from './canonical-path.ts'

/** API of other servers that this gateway does not have. */
interface MissingApi {
  readonly path: RegExp
  readonly what: string
  /** Alternative here; `{base}` is the base path. */
  readonly instead?: string
}

const MISSING_APIS: readonly MissingApi[] = [
  {
    path: /^\/v1\/responses\//,
    what: 'That part of the Responses API is',
    instead: 'Send the whole conversation: POST {base}/v1/responses.',
  },
  { path: /^\/v1\/realtime(?:\/|$)/, what: 'The Realtime API is' },
  { path: /^\/v1\/audio(?:\/|$)/, what: 'Speech and transcription are' },
  {
    path: /^\/v1\/videos(?:\/|$)/,
    what: 'The videos API is',
    instead: 'Create a video task instead: POST {base}/api/v3/contents/generations/tasks, if the gateway stores tasks.',
  },
  { path: /^\/v1(?:beta)?\/(?:messages\/)?batches(?:\/|$)/, what: 'Batches are' },
  {
    path: /^\/v1(?:beta)?\/files(?:\/|$)|^\/upload\//,
    what: 'Stored files are',
    instead: 'Send files within the request, as base64 or by URL.',
  },
  {
    path: /^\/v1\/uploads(?:\/|$)/,
    what: 'Uploads are',
    instead: 'Send files within the request, as base64 or by URL.',
  },
  { path: /^\/v1beta\/cachedContents(?:\/|$)/, what: 'Cached contents are' },
  { path: /^\/v1\/moderations(?:\/|$)/, what: 'Moderations are' },
  { path: /^\/v1\/(?:assistants|threads|vector_stores)(?:\/|$)/, what: 'Assistants are' },
  { path: /^\/v1\/(?:fine_tuning|evals|containers|conversations)(?:\/|$)/, what: 'That API is' },
]

/** Intended API of a path with a wrong prefix, recognized by its end. */
interface PathEnding {
  readonly end: RegExp
  /** Correct path of the same format. */
  readonly like: string
  readonly hint: string
}

const ENDINGS: readonly PathEnding[] = [
  {
    end: /\/(?:completions|responses|embeddings|models|images\/(?:generations|edits|variations))$/,
    like: '/v1/chat/completions',
    hint: "The base URL for OpenAI's SDK ends in {base}/v1.",
  },
  {
    end: /\/messages(?:\/count_tokens)?$/,
    like: '/v1/messages',
    hint: "The base URL for Anthropic's SDK is the gateway's address{under} without /v1; for the AI SDK it ends in {base}/v1.",
  },
  {
    end: /:(?:[a-zA-Z]*[gG]enerateContent|countTokens|[a-zA-Z]*[eE]mbedContents?)$/,
    like: '/v1beta/models/any:generateContent',
    hint: "The base URL for Google's SDK is the gateway's address{under} without a version; for the AI SDK it ends in {base}/v1beta.",
  },
]

/** Prefix of Azure's deployment paths, and of paths without a version. */
const UNVERSIONED = /^(?:\/openai(?:\/deployments\/[^/]+)?)?(?=\/(?!v1|upload\/))/

function missingApiOf(canonical: string): MissingApi | undefined {
  const versioned = canonical.replace(UNVERSIONED, '/v1')
  return MISSING_APIS.find(({ path }) => path.test(versioned))
}

function endingOf(inside: string): PathEnding | undefined {
  return ENDINGS.find(({ end }) => end.test(inside))
}

/** Paths that determine the caller's format: the canonical path, and the path that the caller may have meant. */
export function intendedPaths(path: string, basePath: string): readonly string[] {
  const inside = canonicalPath(behind(basePath, path) ?? path)
  const like = endingOf(inside)?.like
  return like === undefined ? [inside] : [inside, like]
}

/** Error for a path that does not exist, with a hint at the path that the caller may have meant. */
export function missingPath(path: string, basePath: string): HeadgateError {
  const filled = (text: string): string =>
    text.replace('{base}', basePath).replace('{under}', basePath && `, then ${basePath},`)
  const inside = behind(basePath, path)
  const canonical = canonicalPath(inside ?? path)
  const absent = inside === undefined ? undefined : missingApiOf(canonical)
  if (absent) {
    const instead =
      absent.instead === undefined ? `GET ${basePath}/openapi.json lists all paths.` : filled(absent.instead)
    return new HeadgateError(
      'not-found',
      `${absent.what} not supported: the path ${shown(path)} does not exist. ${instead}`,
    )
  }
  const ending = endingOf(canonical)
  const hint = ending ? ` ${filled(ending.hint)}` : inside === undefined ? ` All paths begin with ${basePath}.` : ''
  return new HeadgateError(
    'not-found',
    `The path ${shown(path)} does not exist.${hint} GET ${basePath}/openapi.json lists all paths.`,
  )
}

function shown(path: string): string {
  return path.slice(0, 200)
}
