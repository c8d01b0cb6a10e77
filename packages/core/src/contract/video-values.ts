import { isObject, text } from '../canonical/json.ts'
import { HeadgateError } from '../errors.ts'
import type { HttpResponse } from './http.ts'
import type { VideoMedia, VideoRefusal } from './video.ts'

/** The address of a medium, or a data URL of its bytes. */
export function mediaUrl({ url, base64 = '', type = 'image/png' }: VideoMedia): string {
  return url ?? `data:${type};base64,${base64}`
}

/**
 * The id of a new task.
 * @param path names of the members that lead to it in the response: `'data', 'task_id'`.
 * @throws HeadgateError if the response has none.
 */
export function taskId({ body }: Pick<HttpResponse, 'body'>, ...path: readonly string[]): string {
  const id = text(path.reduce((value: unknown, name) => (isObject(value) ? value[name] : undefined), body))
  if (id) return id
  throw new HeadgateError('upstream', `The provider accepted the task but its response has no \`${path.join('.')}\`.`)
}

const REFUSED = new RegExp(
  [
    /moderat|sensitive|nsfw|inappropriate|prohibited|flagged|violat|\bblocked\b|risk control|responsible ai/,
    /\b(?:safety|content|usage|community)(?:\b|_).{0,40}(?:filter|polic|guideline|check)|safety system/,
    /(?:content|prompt|image|video)s? (?:is |are )?not allowed|support codes?:|\bE005\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)
const OUTPUT = /\bgenerated\b|\boutput/i
const MEDIA = /image|photo|picture|frame|audio|media|(?:input|upload\w*|reference) video/i
const TEXT = /prompt|\b(?:text|input|request|words?)\b/i

/** What a message about refused content refers to. @param fallback if the message names nothing. */
export function refusedPart(message: string, fallback: VideoRefusal): VideoRefusal {
  if (OUTPUT.test(message)) return 'refused-output'
  if (MEDIA.test(message)) return 'refused-media'
  return TEXT.test(message) ? 'refused-text' : fallback
}

/**
 * Guess for vendors without an error code: whether a message reports refused content, and which.
 * @param fallback if it names nothing; default `refused-output`.
 */
export function refusalIn(message: string, fallback: VideoRefusal = 'refused-output'): VideoRefusal | undefined {
  return REFUSED.test(message) ? refusedPart(message, fallback) : undefined
}
