import type { Frame } from '@headgate/core/canonical'
import { isObject, parse, put } from '@headgate/core/canonical'
import type { ProviderInstance } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { writeFrame } from '@headgate/core/formats'
import { secretsOf } from './secrets.ts'

const REDACTED = '[redacted]'

/** Provider or backend whose credentials a string may contain. */
export type ScrubTarget = Pick<ProviderInstance, 'credential'>

/**
 * String without the gateway's credentials and without anything that looks like a credential. Scrub before cutting: a
 * credential that is cut in two is not recognized.
 */
export function scrub(text: string, { credential }: ScrubTarget): string {
  const secrets = secretsOf(credential)
  let clean = text
  for (const secret of secrets) if (secret.length <= clean.length) clean = clean.replaceAll(secret, REDACTED)
  return withoutTokens(withoutEscaped(clean, secrets))
}

/** Error with a scrubbed message. */
export function scrubError(error: HeadgateError, owner: ScrubTarget): HeadgateError {
  const message = scrub(error.message, owner)
  return message === error.message ? error : new HeadgateError(error.kind, message, error)
}

/** Escaped character: `\u0073` of JSON, also within nested JSON, or `%73` of URLs. */
const ESCAPED = /(?<!\\)\\+u00([0-9a-f]{2})|%([0-9a-f]{2})|(?<!\\)\\+(?=\/)/gi

/** String without secrets that contain escaped characters. */
function withoutEscaped(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || (!text.includes('\\') && !text.includes('%'))) return text
  // Start of each piece of the unescaped text, in it and in the original.
  let plain = ''
  const places: { at: number; from: number }[] = []
  let end = 0
  for (const match of text.matchAll(ESCAPED)) {
    places.push({ at: plain.length, from: end })
    plain += text.slice(end, match.index)
    const code = match[1] ?? match[2]
    if (code !== undefined) {
      places.push({ at: plain.length, from: match.index })
      plain += String.fromCharCode(Number.parseInt(code, 16))
    }
    end = match.index + match[0].length
  }
  if (end === 0) return text
  places.push({ at: plain.length, from: end })
  plain += text.slice(end)
  let out = ''
  let done = 0
  let place = 0
  /** Position of an unescaped character in the original. Call it with increasing indexes. */
  const locate = (index: number): number => {
    while ((places[place + 1]?.at ?? Number.POSITIVE_INFINITY) <= index) place++
    const { at = 0, from = 0 } = places[place] ?? {}
    return from + index - at
  }
  for (const [start, length] of foundIn(plain, secrets)) {
    out += text.slice(done, locate(start)) + REDACTED
    done = start + length === plain.length ? text.length : locate(start + length)
  }
  return out + text.slice(done)
}

/** Positions of secrets in a string, in order and without overlap. */
function foundIn(text: string, secrets: readonly string[]): [start: number, length: number][] {
  const found: [number, number][] = []
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      found.push([at, secret.length])
  }
  found.sort(([a, long], [b, longer]) => a - b || longer - long)
  let end = 0
  return found.filter(([start, length]) => {
    if (start < end) return false
    end = start + length
    return true
  })
}

const BEARER = /\bBearer\s+[^\s"'<>\\]+/gi
/** Sequence that may contain a credential. Each character is in at most one of these. */
const WORD = /[\w.-]{11,}/g
const KEY = /\b(?:sk|pk|rk|gsk|xai|key|AIza|ya29|tvly)[-_.](?=[\w.-]{8})/
const GOOGLE_KEY = /\bAIza(?=[\w-]{20})/
const JWT = /\beyJ(?=[\w-]{8})/

/** String without anything that looks like a credential. */
function withoutTokens(text: string): string {
  return text.replace(BEARER, REDACTED).replace(WORD, (word) => {
    const start = Math.min(...[word.search(KEY), word.search(GOOGLE_KEY), jwtIn(word)].filter((at) => at >= 0))
    return start === Number.POSITIVE_INFINITY ? word : word.slice(0, start) + REDACTED
  })
}

/** Start of a signed token, which has three parts. */
function jwtIn(word: string): number {
  const start = word.search(JWT)
  const dot = start < 0 ? -1 : word.indexOf('.', start)
  return dot >= 0 && word.indexOf('.', dot + 1) >= 0 ? start : -1
}

/** Frame of a stream without secrets. Returns the original bytes if it has no secrets. JSON stays valid JSON. */
export function scrubFrame(bytes: Uint8Array, text: string, frame: Frame, clean: (text: string) => string): Uint8Array {
  const value = parse(frame.data)
  const isJson = typeof value === 'object' && value !== null
  const data = isJson ? JSON.stringify(scrubbed(value, clean)) : clean(frame.data)
  if (clean(text) === text && (!isJson || data === JSON.stringify(value))) return bytes
  return Buffer.from(writeFrame({ ...frame, data }))
}

function scrubbed(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item: unknown) => scrubbed(item, clean))
  if (!isObject(value)) return value
  const out = {}
  for (const key in value) put(out, clean(key), scrubbed(value[key], clean))
  return out
}
