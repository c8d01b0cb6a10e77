import { isEnvelope } from '../../canonical/envelope.ts'
import type { Edit } from '../../canonical/format.ts'
import { isObject, type Json, object, objects } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { CALL_SIGNER, detailSigner, extraSignature, THINKING_SIGNER } from './reasoning.ts'

/** What has to be done about the signatures that a caller's own body holds. */
export interface Signatures {
  /** There are envelopes, which only a reader opens. */
  readonly sealed: boolean
  /** Takes out what stands bare where its signer is known to be another than the target's. */
  readonly edits: readonly Edit[]
  readonly lost: readonly Loss[]
}

type Path = readonly (string | number)[]

const REASON = 'only its signer can verify it'

/**
 * Looks for signatures in the places where callers are given them, see `reasoning.ts`. Of an unknown signer (undefined)
 * nothing is taken out. A message that has none of these places costs a look at its keys.
 */
export function signaturesIn(body: Json, signer: string | undefined): Signatures {
  const found: Found = { sealed: false, edits: [], lost: [] }
  const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : []
  messages.forEach((message, index) => {
    if (!isObject(message)) return
    if (PLACES.some((key) => message[key] !== undefined)) lookAtMessage(message, ['messages', index], signer, found)
    for (const key of LISTS) {
      const items: unknown[] = Array.isArray(message[key]) ? message[key] : []
      items.forEach((item, position) => {
        if (isObject(item) && item['extra_content'] !== undefined)
          lookAtItem(item, ['messages', index, key, position], signer, found)
      })
    }
  })
  return found
}

const PLACES = ['extra_content', 'thinking_blocks', 'reasoning_details'] as const
/** Lists whose entries have a signature of their own. */
const LISTS = ['tool_calls', 'images'] as const

function lookAtMessage(message: Json, path: Path, signer: string | undefined, found: Found): void {
  const gone: string[] = []
  lookAtExtra(message, path, signer, found, gone)
  lookAtList(message, 'thinking_blocks', path, (item) => bareThinking(item, signer), found, gone)
  lookAtList(message, 'reasoning_details', path, (item) => bareDetail(item, signer), found, gone)
  if (gone.length > 0) found.edits.push({ path, without: gone })
}

function lookAtItem(item: Json, path: Path, signer: string | undefined, found: Found): void {
  const gone: string[] = []
  lookAtExtra(item, path, signer, found, gone)
  if (gone.length > 0) found.edits.push({ path, without: gone })
}

interface Found {
  sealed: boolean
  readonly edits: Edit[]
  readonly lost: Loss[]
}

/** Adds to `gone` the key of the item when nothing else stands under it. */
function lookAtExtra(item: Json, path: Path, signer: string | undefined, found: Found, gone: string[]): void {
  const value = extraSignature(item)
  if (!value) return
  if (isEnvelope(value)) found.sealed = true
  else if (signer !== undefined && signer !== CALL_SIGNER) {
    dropped(found.lost, `${textOf(path)}.extra_content.google.thought_signature`, REASON)
    const { google, ...others } = object(item['extra_content']) ?? {}
    const { thought_signature: _, ...unsigned } = object(google) ?? {}
    const rest = Object.keys(unsigned).length > 0 ? { ...others, google: unsigned } : others
    if (Object.keys(rest).length === 0) gone.push('extra_content')
    else found.edits.push({ path: [...path, 'extra_content'], value: rest })
  }
}

/** Of an entry of a list: whether all of it goes, or only its signature. */
type Verdict = 'entry' | 'signature' | undefined

function lookAtList(
  message: Json,
  key: string,
  path: Path,
  judge: (item: Json) => Verdict,
  found: Found,
  gone: string[],
): void {
  const list = message[key]
  if (!Array.isArray(list)) return
  if (objects(list).some(({ signature, data }) => isEnvelope(signature) || isEnvelope(data))) {
    found.sealed = true
    return
  }
  let any = false
  const kept = list.flatMap((item: unknown, index): unknown[] => {
    const verdict = isObject(item) ? judge(item) : undefined
    if (!verdict || !isObject(item)) return [item]
    any = true
    const at = `${textOf(path)}.${key}[${index}]`
    dropped(found.lost, verdict === 'entry' ? at : `${at}.signature`, REASON)
    const { signature: _, ...unsigned } = item
    return verdict === 'entry' ? [] : [unsigned]
  })
  if (!any) return
  if (kept.length === 0) gone.push(key)
  else found.edits.push({ path: [...path, key], value: kept })
}

/** Thoughts in this carrier are nothing without their signature; their text stands in `reasoning_content` as well. */
function bareThinking(item: Json, signer: string | undefined): Verdict {
  const value = item['type'] === 'redacted_thinking' ? item['data'] : item['signature']
  return value && signer !== undefined && signer !== THINKING_SIGNER ? 'entry' : undefined
}

function bareDetail(item: Json, signer: string | undefined): Verdict {
  const own = detailSigner(item)
  if (own === undefined || signer === undefined || own === signer) return undefined
  if (item['type'] === 'reasoning.encrypted') return item['data'] ? 'entry' : undefined
  return item['signature'] ? 'signature' : undefined
}

function textOf(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}
