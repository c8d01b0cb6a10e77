import { MAX_DEPTH } from '../chat/depth.ts'
import type { Edit } from '../chat/format.ts'
import { HeadgateError } from '../errors.ts'

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const OPEN = 123
const CLOSE = 125
const OPEN_LIST = 91
const CLOSE_LIST = 93

function tooDeep(): HeadgateError {
  return new HeadgateError('invalid-request', `The body is nested deeper than ${MAX_DEPTH} levels. Send it flatter.`)
}

/** Where a value stands in the bytes of a JSON text. */
export interface Span {
  start: number
  end: number
}

/** The members of a JSON object by key: where each value stands. */
export type Spans = Map<string, Span>

function skipSpace(bytes: Buffer, at: number): number {
  let i = at
  for (;;) {
    const byte = bytes[i]
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return i
    i++
  }
}

/** The index after the string that starts at `at`. Long strings (base64) are skipped by a native search. */
function skipString(bytes: Buffer, at: number): number {
  let i = at + 1
  const near = Math.min(i + 48, bytes.length)
  while (i < near) {
    const byte = bytes[i]
    if (byte === QUOTE) return i + 1
    i += byte === BACKSLASH ? 2 : 1
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, i)
    if (quote < 0) return bytes.length
    let slashes = 0
    while (quote - 1 - slashes >= i && bytes[quote - 1 - slashes] === BACKSLASH) slashes++
    i = quote + 1
    if (slashes % 2 === 0) return i
  }
}

/** The index after the value that starts at `at`. The text is known to be JSON. */
function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN && first !== OPEN_LIST) {
    let i = at
    while (i < bytes.length) {
      const byte = bytes[i]
      if (byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || byte === undefined || byte <= 32) return i
      i++
    }
    return i
  }
  let depth = 0
  let i = at
  while (i < bytes.length) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i = skipString(bytes, i)
      continue
    }
    i++
    if (byte === OPEN || byte === OPEN_LIST) {
      depth++
      if (depth > MAX_DEPTH) throw tooDeep()
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--
      if (depth === 0) return i
    }
  }
  return i
}

function keyOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('latin1', start + 1, end - 1)
  return /^[\x20-\x5b\x5d-\x7e]*$/.test(raw) ? raw : (JSON.parse(bytes.toString('utf8', start, end)) as string)
}

/**
 * The members of the object at `at` in a text that JSON.parse has accepted.
 * @throws HeadgateError when a key stands twice: parsers disagree about which one counts.
 */
export function members(bytes: Buffer, at = 0): Spans {
  const spans: Spans = new Map()
  let i = skipSpace(bytes, at === 0 && bytes[0] === 0xef ? 3 : at) + 1
  for (;;) {
    i = skipSpace(bytes, i)
    if (bytes[i] !== QUOTE) return spans
    const afterKey = skipString(bytes, i)
    const key = keyOf(bytes, i, afterKey)
    i = skipSpace(bytes, afterKey)
    const start = skipSpace(bytes, bytes[i] === COLON ? i + 1 : i)
    const end = skipValue(bytes, start)
    if (spans.has(key))
      throw new HeadgateError('invalid-request', `The key "${key.slice(0, 64)}" stands twice in the body. Send it once.`, {
        param: key.slice(0, 64),
      })
    spans.set(key, { start, end })
    i = skipSpace(bytes, end)
    if (bytes[i] === COMMA) i++
  }
}

function elements(bytes: Buffer, at: number): Span[] {
  const spans: Span[] = []
  let i = at + 1
  for (;;) {
    i = skipSpace(bytes, i)
    if (i >= bytes.length || bytes[i] === CLOSE_LIST) return spans
    const end = skipValue(bytes, i)
    spans.push({ start: i, end })
    i = skipSpace(bytes, end)
    if (bytes[i] === COMMA) i++
  }
}

/** Bytes to put in place of a span; an empty span inserts. */
interface Patch extends Span {
  text: string
}

/** Members of the object at `at` are cut out: each with the comma before it, the first ones with the comma after. */
function cutsOf(bytes: Buffer, at: number, keys: readonly string[]): Patch[] {
  const cuts: Patch[] = []
  let before = skipSpace(bytes, at) + 1
  let leads = true
  for (const [key, { end }] of members(bytes, at)) {
    if (!keys.includes(key)) {
      leads = false
      before = end
      continue
    }
    const comma = skipSpace(bytes, end)
    const after = leads && bytes[comma] === COMMA ? comma + 1 : end
    cuts.push({ start: before, end: after, text: '' })
    before = after
  }
  return cuts
}

function patchesOf(bytes: Buffer, top: Spans, edit: Edit): Patch[] {
  let span: Span = { start: 0, end: bytes.length }
  let spans: Spans | undefined = top
  const last = edit.path.length - 1
  for (const [depth, step] of edit.path.entries()) {
    if (typeof step === 'number') {
      const found: Span | undefined = elements(bytes, span.start)[step]
      if (!found) return []
      span = found
      spans = undefined
      continue
    }
    const inside: Spans = spans ?? members(bytes, span.start)
    const found = inside.get(step)
    spans = undefined
    if (found) {
      span = found
      continue
    }
    if (depth !== last || edit.without) return []
    const brace = skipSpace(bytes, span.start) + 1
    return [{ start: brace, end: brace, text: `${JSON.stringify(step)}:${JSON.stringify(edit.value)}${inside.size > 0 ? ',' : ''}` }]
  }
  return edit.without ? cutsOf(bytes, span.start, edit.without) : [{ ...span, text: JSON.stringify(edit.value) }]
}

/** The body with the edits made; every byte outside of them is the caller's. */
export function splice(bytes: Buffer, top: Spans, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return bytes
  const patches = edits.flatMap((edit) => patchesOf(bytes, top, edit))
  patches.sort((a, b) => a.start - b.start)
  const pieces: Buffer[] = []
  let at = 0
  for (const patch of patches) {
    pieces.push(bytes.subarray(at, patch.start), Buffer.from(patch.text))
    at = patch.end
  }
  pieces.push(bytes.subarray(at))
  return Buffer.concat(pieces)
}
