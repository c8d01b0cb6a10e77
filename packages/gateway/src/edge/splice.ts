import type { Edit } from '@headgate/core/canonical'
import { MAX_DEPTH } from '@headgate/core/canonical'
import { type HeadgateError, invalid } from '@headgate/core/errors'
import { type EditTree, editTreeOf } from './edits.ts'

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const OPEN = 123
const CLOSE = 125
const OPEN_LIST = 91
const CLOSE_LIST = 93

function tooDeep(): HeadgateError {
  return invalid(undefined, `The body is nested deeper than ${MAX_DEPTH} levels. Reduce its nesting.`)
}

function tooManyValues(most: number): HeadgateError {
  return invalid(
    undefined,
    `The body has more than ${most} values. Send fewer values, or raise limits.values in the configuration. The limit of compressed bodies is lower.`,
  )
}

function tooManyMembers(most: number): HeadgateError {
  return invalid(
    undefined,
    `The body has more than ${most} object members. Send fewer members, or raise limits.members in the configuration.`,
  )
}

/**
 * Maximum members of the top-level object. No API has a tenth as many, and each of them costs more than a nested one.
 */
const MAX_FIELDS = 1_000

/** Position of a value in the bytes of a JSON text. */
export interface ByteSpan {
  start: number
  end: number
}

/** Positions of the members of a JSON object, by key. */
export type ByteSpans = Map<string, ByteSpan>

/** Counters of a JSON text, and their limits. */
export interface JsonCounters {
  /** Number of values. Commas and opening brackets are counted, because each of them begins a value. */
  values: number
  /** Number of members of nested objects: colons outside strings. Elements of lists do not count. */
  members: number
  /** True if the text has a number that a double may not represent exactly: 16 characters or more, or an exponent. */
  hasLongNumber: boolean
  readonly mostValues: number
  readonly mostMembers: number
}

/** Creates counters; default: without limits. */
export function createCounters(
  mostValues: number = Number.POSITIVE_INFINITY,
  mostMembers: number = Number.POSITIVE_INFINITY,
): JsonCounters {
  return { values: 0, members: 0, hasLongNumber: false, mostValues, mostMembers }
}

export function skipSpace(bytes: Buffer, at: number): number {
  let i = at
  for (;;) {
    const byte = bytes[i]
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return i
    i++
  }
}

/**
 * Number of bytes of a string that are examined one by one, before a native search is used, which has a startup cost.
 */
const MAX_LINEAR_SCAN = 48

/** Index after the string that starts at `at`. */
function skipString(bytes: Buffer, at: number): number {
  let i = at + 1
  for (;;) {
    const near = Math.min(i + MAX_LINEAR_SCAN, bytes.length)
    while (i < near) {
      const byte = bytes[i]
      if (byte === QUOTE) return i + 1
      i += byte === BACKSLASH ? 2 : 1
    }
    const quote = bytes.indexOf(QUOTE, i)
    if (quote < 0) return bytes.length
    let slashes = 0
    while (quote - 1 - slashes >= i && bytes[quote - 1 - slashes] === BACKSLASH) slashes++
    i = quote + 1
    if (slashes % 2 === 0) return i
  }
}

/**
 * Index after the value that starts at `at`. If the text is not valid JSON, the index may be wrong after the first
 * error.
 */
function skipValue(bytes: Buffer, at: number, count: JsonCounters): number {
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
    if (byte === COMMA) count.values++
    else if (byte === COLON) {
      if (++count.members > count.mostMembers) throw tooManyMembers(count.mostMembers)
    } else if (byte === OPEN || byte === OPEN_LIST) {
      depth++
      if (depth > MAX_DEPTH) throw tooDeep()
      if (++count.values > count.mostValues) throw tooManyValues(count.mostValues)
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--
      if (depth === 0) return i
    } else if (byte !== undefined && isDigit(byte)) i = skipNumber(bytes, i, count)
  }
  return i
}

const ZERO = 48
const NINE = 57

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

const DOT = 46
const PLUS = 43
const MINUS = 45
const EXPONENT = 101
const LOWER_CASE = 32
/** Numbers with fewer characters and without an exponent are exact as doubles. */
const LONG_NUMBER = 16

/** Index after the number whose first digit is before `at`. */
function skipNumber(bytes: Buffer, at: number, count: JsonCounters): number {
  let i = at
  for (; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (isDigit(byte) || byte === DOT) continue
    if ((byte | LOWER_CASE) === EXPONENT) count.hasLongNumber = true
    else if (byte !== PLUS && byte !== MINUS) break
  }
  if (i - at >= LONG_NUMBER - 1) count.hasLongNumber = true
  return i
}

/** True if a JSON text has a number, outside of strings, that a double may not represent exactly. */
export function hasLongNumber(bytes: Buffer): boolean {
  const count = createCounters()
  skipValue(bytes, skipSpace(bytes, bytes[0] === 0xef ? 3 : 0), count)
  return count.hasLongNumber
}

function keyOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('latin1', start + 1, end - 1)
  if (/^[\x20-\x5b\x5d-\x7e]*$/.test(raw)) return raw
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string
  } catch {
    return raw
  }
}

/**
 * Visits the members of the object at `at`. `value` receives each key and the position of its value, and returns the
 * index after the value.
 * @returns the index after the object
 * @throws HeadgateError if a key occurs twice, because parsers disagree about the one to use
 */
function eachMember(
  bytes: Buffer,
  at: number,
  keys: { has(key: string): boolean },
  value: (key: string, start: number) => number,
): number {
  let i = skipSpace(bytes, at) + 1
  for (;;) {
    i = skipSpace(bytes, i)
    if (bytes[i] !== QUOTE) return i + 1
    const afterKey = skipString(bytes, i)
    const key = keyOf(bytes, i, afterKey)
    if (keys.has(key))
      throw invalid(key.slice(0, 64), `The key "${key.slice(0, 64)}" occurs twice in the body. Send it once.`)
    i = skipSpace(bytes, afterKey)
    i = skipSpace(bytes, value(key, skipSpace(bytes, bytes[i] === COLON ? i + 1 : i)))
    if (bytes[i] === COMMA) i++
  }
}

/**
 * Members of a JSON text's top-level object. Values are counted even if the text is not valid JSON.
 * @throws HeadgateError `invalid-request` if a key occurs twice, if the text is nested too deep, or if it has too many
 * values or members
 */
export function members(bytes: Buffer, count: JsonCounters = createCounters()): ByteSpans {
  const spans: ByteSpans = new Map()
  eachMember(bytes, bytes[0] === 0xef ? 3 : 0, spans, (key, start) => {
    const end = skipValue(bytes, start, count)
    if (++count.values > count.mostValues) throw tooManyValues(count.mostValues)
    spans.set(key, { start, end })
    if (spans.size > MAX_FIELDS)
      throw invalid(undefined, `The body has more than ${MAX_FIELDS} fields. Send fewer fields.`)
    return end
  })
  return spans
}

/** Replacement of a span; an empty span inserts. */
interface Patch extends ByteSpan {
  text: string
}

/** Text that is being edited, and its patches so far. */
interface PatchedText {
  readonly bytes: Buffer
  readonly patches: Patch[]
  readonly count: JsonCounters
}

/**
 * Collects the patches of the value at `at`.
 * @returns the index after it
 */
function visitValue(passage: PatchedText, at: number, change: EditTree): number {
  const { bytes, patches, count } = passage
  const first = bytes[at]
  if (!change.edit && first === OPEN) return visitObject(passage, at, change)
  if (!change.edit && first === OPEN_LIST) return visitList(passage, at, change)
  const end = skipValue(bytes, at, count)
  if (change.edit) patches.push({ start: at, end, text: JSON.stringify(change.edit.value) })
  return end
}

function visitList(passage: PatchedText, at: number, { inner }: EditTree): number {
  const { bytes, count } = passage
  let i = skipSpace(bytes, at + 1)
  for (let index = 0; i < bytes.length && bytes[i] !== CLOSE_LIST; index++) {
    const change = inner?.get(index)
    i = skipSpace(bytes, change ? visitValue(passage, i, change) : skipValue(bytes, i, count))
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1)
  }
  return i + 1
}

/** Removes each member with the comma before it, or with the comma after it if no member precedes it. */
function visitObject(passage: PatchedText, at: number, { inner, without }: EditTree): number {
  const { bytes, patches, count } = passage
  const brace = skipSpace(bytes, at) + 1
  const seen = new Set<string>()
  let before = brace
  let kept = 0
  const end = eachMember(bytes, at, seen, (key, start) => {
    seen.add(key)
    const cut = without?.has(key)
    const change = cut ? undefined : inner?.get(key)
    const after = change ? visitValue(passage, start, change) : skipValue(bytes, start, count)
    if (!cut) {
      kept++
      before = after
      return after
    }
    const comma = skipSpace(bytes, after)
    const gone = kept === 0 && bytes[comma] === COMMA ? comma + 1 : after
    patches.push({ start: before, end: gone, text: '' })
    before = gone
    return after
  })
  insert(passage, brace, inner, (key) => seen.has(key) && !without?.has(key), kept > 0)
  return end
}

/** Inserts absent members at the beginning of their object. */
function insert(
  { patches }: PatchedText,
  brace: number,
  inner: EditTree['inner'],
  isThere: (key: string) => boolean,
  follows: boolean,
): void {
  const absent: string[] = []
  for (const [key, { edit }] of inner ?? [])
    if (edit && typeof key === 'string' && !isThere(key))
      absent.push(`${JSON.stringify(key)}:${JSON.stringify(edit.value)}`)
  if (absent.length > 0) patches.push({ start: brace, end: brace, text: `${absent.join(',')}${follows ? ',' : ''}` })
}

/** Patch of a single top-level member. This fast path covers most requests, in which only the model changes. */
function replaced(top: ByteSpans, edits: readonly Edit[]): Patch | undefined {
  const [edit] = edits
  if (edits.length > 1 || !edit || edit.without || edit.path.length !== 1) return undefined
  const span = top.get(String(edit.path[0]))
  return span && { start: span.start, end: span.end, text: JSON.stringify(edit.value) }
}

/** Body with the edits applied. All other bytes are the caller's. Only the changed members are traversed, once. */
export function splice(bytes: Buffer, top: ByteSpans, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return bytes
  const alone = replaced(top, edits)
  if (alone) return patched(bytes, [alone])
  const passage: PatchedText = { bytes, patches: [], count: createCounters() }
  const { patches } = passage
  const root = editTreeOf(edits)
  const start = bytes[0] === 0xef ? 3 : 0
  if (root.edit || root.without) visitValue(passage, skipSpace(bytes, start), root)
  else {
    for (const [key, change] of root.inner ?? []) {
      const span = top.get(String(key))
      if (!span) continue
      if (change.edit) patches.push({ ...span, text: JSON.stringify(change.edit.value) })
      else visitValue(passage, span.start, change)
    }
    insert(passage, skipSpace(bytes, start) + 1, root.inner, (key) => top.has(key), top.size > 0)
  }
  patches.sort((a, b) => a.start - b.start || a.end - b.end)
  return patched(bytes, patches)
}

function patched(bytes: Buffer, patches: readonly Patch[]): Buffer {
  let size = bytes.length
  for (const { start, end, text } of patches) size += Buffer.byteLength(text) - (end - start)
  const out = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (const { start, end, text } of patches) {
    to += bytes.copy(out, to, from, start)
    to += out.write(text, to)
    from = end
  }
  bytes.copy(out, to, from)
  return out
}
