import { HeadgateError } from '@headgate/core/errors'
import { behind, canonicalPath } from './canonical-path.ts'

/** What other servers have, and this one has not. */
interface Absent {
  readonly path: RegExp
  readonly what: string
  /** What does the same here; `{base}` is the base path. */
  readonly instead?: string
}

const ABSENT: readonly Absent[] = [
  {
    path: /^\/v1\/responses\//,
    what: 'That part of the Responses API is',
    instead: 'Send the whole conversation: POST {base}/v1/responses.',
  },
  { path: /^\/v1\/realtime(?:\/|$)/, what: 'The Realtime API is' },
  { path: /^\/v1\/images(?:\/|$)/, what: 'Making images is' },
  { path: /^\/v1\/audio(?:\/|$)/, what: 'Speech and transcription are' },
  {
    path: /^\/v1\/videos(?:\/|$)/,
    what: 'The videos API is',
    instead: 'Videos are tasks: POST {base}/api/v3/contents/generations/tasks, where the gateway keeps any.',
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
  { path: /^\/v1beta\/cachedContents(?:\/|$)/, what: 'Kept contexts are' },
  { path: /^\/v1\/moderations(?:\/|$)/, what: 'Moderations are' },
  { path: /^\/v1\/(?:assistants|threads|vector_stores)(?:\/|$)/, what: 'Assistants are' },
  { path: /^\/v1\/(?:fine_tuning|evals|containers|conversations)(?:\/|$)/, what: 'That API is' },
]

/** What a path is meant for, by its end, where it begins otherwise than it should. */
interface Ending {
  readonly end: RegExp
  /** A path of the same format. */
  readonly like: string
  readonly hint: string
}

const ENDINGS: readonly Ending[] = [
  {
    end: /\/(?:completions|responses|embeddings|models)$/,
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

/** Prefix of paths of a deployment, and of paths without a version. */
const UNVERSIONED = /^(?:\/openai(?:\/deployments\/[^/]+)?)?(?=\/(?!v1|upload\/))/

function absentOf(canonical: string): Absent | undefined {
  const versioned = canonical.replace(UNVERSIONED, '/v1')
  return ABSENT.find(({ path }) => path.test(versioned))
}

function endingOf(inside: string): Ending | undefined {
  return ENDINGS.find(({ end }) => end.test(inside))
}

/**
 * The path by which a caller's format is known: in its canonical spelling, or one of those that the caller may have
 * meant.
 */
export function meantPath(path: string, basePath: string): readonly string[] {
  const inside = canonicalPath(behind(basePath, path) ?? path)
  const like = endingOf(inside)?.like
  return like === undefined ? [inside] : [inside, like]
}

/** What a caller is told of a path that is not there: what it may have meant, and how it gets there. */
export function missingPath(path: string, basePath: string): HeadgateError {
  const filled = (text: string): string =>
    text.replace('{base}', basePath).replace('{under}', basePath && `, then ${basePath},`)
  const inside = behind(basePath, path)
  const canonical = canonicalPath(inside ?? path)
  const absent = inside === undefined ? undefined : absentOf(canonical)
  if (absent) {
    const instead =
      absent.instead === undefined ? `GET ${basePath}/openapi.json lists what is.` : filled(absent.instead)
    return new HeadgateError(
      'not-found',
      `${absent.what} not served here, so there is no path ${shown(path)}. ${instead}`,
    )
  }
  const ending = endingOf(canonical)
  const hint = ending ? ` ${filled(ending.hint)}` : inside === undefined ? ` All paths begin with ${basePath}.` : ''
  return new HeadgateError(
    'not-found',
    `There is no path ${shown(path)}.${hint} GET ${basePath}/openapi.json lists those that exist.`,
  )
}

function shown(path: string): string {
  return path.slice(0, 200)
}
