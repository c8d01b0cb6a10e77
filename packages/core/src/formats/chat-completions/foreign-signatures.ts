import { isEnvelope } from '../../canonical/envelope.ts'
import type { Edit } from '../../canonical/format.ts'
import { isObject, type Json, object, objects } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { CALL_SIGNER, detailSigner, extraSignature, THINKING_SIGNER } from './reasoning.ts'

/** Signatures in a caller's body that need changes. */
export interface Signatures {
  /** True if the body has envelopes, which must be read and written. */
  readonly sealed: boolean
  /** Edits that remove signatures of a known signer other than the target's. */
  readonly edits: readonly Edit[]
  readonly lost: readonly Loss[]
}

type BodyPath = readonly (string | number)[]

const REASON = 'only its signer can verify it'

/**
 * Finds signatures in the fields in which callers receive them, see `reasoning.ts`. Signatures stay if the target's
 * signer is unknown (undefined). For messages without these fields, only keys are checked.
 */
export function signaturesIn(body: Json, signer: string | undefined): Signatures {
  const found: SignatureEdits = { sealed: false, edits: [], lost: [] }
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
/** Lists whose entries can have a signature. */
const LISTS = ['tool_calls', 'images'] as const

function lookAtMessage(message: Json, path: BodyPath, signer: string | undefined, found: SignatureEdits): void {
  const gone: string[] = []
  lookAtExtra(message, path, signer, found, gone)
  lookAtList(message, 'thinking_blocks', path, (item) => bareThinking(item, signer), found, gone)
  lookAtList(message, 'reasoning_details', path, (item) => bareDetail(item, signer), found, gone)
  if (gone.length > 0) found.edits.push({ path, without: gone })
}

function lookAtItem(item: Json, path: BodyPath, signer: string | undefined, found: SignatureEdits): void {
  const gone: string[] = []
  lookAtExtra(item, path, signer, found, gone)
  if (gone.length > 0) found.edits.push({ path, without: gone })
}

interface SignatureEdits {
  sealed: boolean
  readonly edits: Edit[]
  readonly lost: Loss[]
}

/** Removes a signature in `extra_content`. The key is added to `gone` if it has no other content. */
function lookAtExtra(
  item: Json,
  path: BodyPath,
  signer: string | undefined,
  found: SignatureEdits,
  gone: string[],
): void {
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

/** Part of a list entry to remove: the entry, or only its signature. */
type RemovedPart = 'entry' | 'signature' | undefined

function lookAtList(
  message: Json,
  key: string,
  path: BodyPath,
  judge: (item: Json) => RemovedPart,
  found: SignatureEdits,
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

/** Reasoning in `thinking_blocks` is useless without its signature. Its text is also in `reasoning_content`. */
function bareThinking(item: Json, signer: string | undefined): RemovedPart {
  const value = item['type'] === 'redacted_thinking' ? item['data'] : item['signature']
  return value && signer !== undefined && signer !== THINKING_SIGNER ? 'entry' : undefined
}

function bareDetail(item: Json, signer: string | undefined): RemovedPart {
  const own = detailSigner(item)
  if (own === undefined || signer === undefined || own === signer) return undefined
  if (item['type'] === 'reasoning.encrypted') return item['data'] ? 'entry' : undefined
  return item['signature'] ? 'signature' : undefined
}

function textOf(path: BodyPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}
