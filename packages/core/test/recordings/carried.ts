import { isObject, type Json } from '../../src/canonical/json.ts'
import { contentAt } from './files.ts'
import { type Leaf, leavesOf, spelled } from './leaves.ts'
import type { FormatId } from './recordings.ts'

/** The body that a provider was sent, indexed by what it holds. */
export interface Sent {
  readonly format: FormatId
  readonly body: Json
  /** All texts of it, those within texts of JSON too. */
  readonly text: string
  /** `key=value` of every leaf, the key under the name that is shared by all formats. */
  readonly pairs: ReadonlySet<string>
}

/** One name for what formats name differently. */
const NAMES: Readonly<Record<string, string>> = {
  maxcompletiontokens: 'maxoutputtokens',
  maxtokens: 'maxoutputtokens',
  candidatecount: 'n',
  responselogprobs: 'logprobs',
  toplogprobs: 'logprobs',
}

function nameOf(key: string): string {
  const name = spelled(key)
  return NAMES[name] ?? name
}

function pair(key: string, value: unknown): string {
  return `${nameOf(key)}=${JSON.stringify(typeof value === 'string' ? value.toLowerCase() : value)}`
}

/** A text as the value that it is JSON of: a list or an object, or undefined. */
function nested(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function* deepLeaves(value: unknown): Generator<Leaf> {
  for (const leaf of leavesOf(value)) {
    yield leaf
    const inner = nested(leaf.value)
    if (inner !== undefined) yield* deepLeaves(inner)
  }
}

function* keysOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* keysOf(item)
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    yield key
    yield* keysOf(item)
  }
}

/** The text within an envelope that is written as base64. */
function opened(text: string): string {
  return text.startsWith('aGcxL') ? Buffer.from(text, 'base64').toString('utf8') : ''
}

export function indexed(format: FormatId, body: Json): Sent {
  const leaves = [...deepLeaves(body)]
  const texts = leaves.map(({ value }) => (isObject(value) ? '' : String(value)))
  const envelopes = texts.map(opened)
  return {
    format,
    body,
    text: [...texts, ...envelopes, ...keysOf(body)].join('\u0000'),
    pairs: new Set(leaves.map(({ key, value }) => pair(key, value))),
  }
}

export function hasPair(sent: Sent, key: string, value: unknown): boolean {
  return sent.pairs.has(pair(key, value))
}

export function hasText(sent: Sent, text: string): boolean {
  return sent.text.includes(text)
}

/** Whether a leaf is found in what was sent, in one of the ways in which formats write one value. */
export function isCarried({ key, value }: Leaf, sent: Sent): boolean {
  if (hasPair(sent, key, value)) return true
  if (typeof value !== 'string') return false
  if (hasText(sent, value)) return true
  const inner = nested(value)
  if (inner !== undefined) return [...leavesOf(inner)].every((leaf) => isCarried(leaf, sent))
  const content = contentAt(value)
  if (content !== undefined) return hasText(sent, content)
  const [, head, data] = /^data:([^,]*),(.*)$/s.exec(value) ?? []
  if (head !== undefined && data !== undefined) return hasText(sent, data) && hasText(sent, head.split(';')[0] ?? '')
  return isTextInBase64(value, sent)
}

/** Whether a document that came as base64 was sent as the text that it is. */
function isTextInBase64(value: string, sent: Sent): boolean {
  if (value.length < 8 || !/^[A-Za-z0-9+/_-]+=*$/.test(value)) return false
  const text = Buffer.from(value, 'base64').toString('utf8')
  return !text.includes('\ufffd') && hasText(sent, text)
}
