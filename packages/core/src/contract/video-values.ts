import { isObject, text } from '../canonical/json.ts'
import { HeadgateError } from '../errors.ts'
import type { HttpResponse } from './http.ts'
import type { VideoMedia, VideoRefusal } from './video.ts'

/**
 * URL of a medium, or a data URL of its bytes.
 * @example mediaUrl({ base64: 'iVBO…', type: 'image/png' }) // 'data:image/png;base64,iVBO…'
 */
export function mediaUrl({ url, base64 = '', type = 'image/png' }: VideoMedia): string {
  return url ?? `data:${type};base64,${base64}`
}

/**
 * Id of a new task.
 * @param path member names that lead to it in the response.
 * @throws HeadgateError if the response has no id.
 * @example taskId(response, 'data', 'task_id')
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

/**
 * Part of a request or response that a content-policy message refers to.
 * @param fallback result if the message names no part.
 * @example refusedPart('The uploaded image was flagged', 'refused-output') // 'refused-media'
 */
export function refusedPart(message: string, fallback: VideoRefusal): VideoRefusal {
  if (OUTPUT.test(message)) return 'refused-output'
  if (MEDIA.test(message)) return 'refused-media'
  return TEXT.test(message) ? 'refused-text' : fallback
}

/**
 * Guess for vendors without an error code: the refused part, if a message reports refused content.
 * @param fallback result if the message names no part; default `refused-output`.
 * @example refusalIn('Prompt violates our guidelines') // 'refused-text'
 */
export function refusalIn(message: string, fallback: VideoRefusal = 'refused-output'): VideoRefusal | undefined {
  return REFUSED.test(message) ? refusedPart(message, fallback) : undefined
}
