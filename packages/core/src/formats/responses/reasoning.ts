import type { ReasoningBlock, Signature } from '../../canonical/block.ts'
import { seal, unsealThought } from '../../canonical/envelope.ts'
import { type Json, objects, text } from '../../canonical/json.ts'
import { itemOf, itemValue } from '../../canonical/reasoning-item.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { ID, SIGNER } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'summary',
  'content',
  'encrypted_content',
  'status',
  'format',
  'signature',
])

/** Separator between the parts of a summary. */
export const BETWEEN = '\n\n'

/**
 * Reads the reasoning of an item: its summary as one block, and the full reasoning as another. Encrypted content
 * belongs to the last block. An item with only an id becomes an empty block.
 */
export function readReasoning(item: Json, at: string, signer: string | undefined): ReasoningBlock[] {
  const summary = textsOf(item['summary']).join(BETWEEN)
  const said = textsOf(item['content']).join('')
  const id = text(item['id'])
  const node = { at, ...(id !== undefined && { ref: id }) }
  const blocks: ReasoningBlock[] = []
  if (summary !== '' || said === '') blocks.push({ type: 'reasoning', ...node, text: summary })
  if (said !== '') blocks.push({ type: 'reasoning', ...node, text: said, raw: true })
  const last = blocks.at(-1)
  if (last) {
    Object.assign(last, readEncrypted(item, last.text, signer))
    keepExtensions(last, ID, unknownFields(item, FIELDS))
  }
  return blocks
}

/** Reasoning block at its start, without text. */
export function thoughtOf(item: Json, raw: boolean, place: number): ReasoningBlock {
  const id = text(item['id'])
  return {
    type: 'reasoning',
    at: `output[${place}]`,
    text: '',
    ...(id !== undefined && { ref: id }),
    ...(raw && { raw }),
  }
}

function textsOf(parts: unknown): string[] {
  return objects(parts).flatMap((part) => text(part['text']) ?? [])
}

/**
 * Signature of an item.
 * @param said text of the block.
 */
export function readEncrypted(
  item: Json,
  said: string,
  signer: string | undefined,
): { signature?: Signature; redacted?: true } {
  const value = text(item['encrypted_content'])
  const sealed = value === undefined ? undefined : unsealThought(value, signer)
  if (value === undefined || !sealed) return {}
  const { signature } = sealed
  if (signature.value !== value) return { signature, ...(sealed.redacted && { redacted: true }) }
  return {
    signature: { signer: signature.signer, value: itemValue(text(item['id']), value) },
    ...(said === '' && { redacted: true }),
  }
}

/** Encrypted content for its signer, with the id of its item. */
export function bare({ value }: Signature): { readonly id?: string; readonly encrypted_content: string } {
  const { id, encrypted } = itemOf(value)
  return { ...(id !== undefined && { id }), encrypted_content: encrypted }
}

/**
 * Encrypted content for a caller. Unchanged if the item has the id to which it is bound, else sealed.
 * @param id id of the item
 */
export function sealed(signature: Signature, id: string, redacted = false): string {
  const known = signature.signer === SIGNER ? itemOf(signature.value) : undefined
  if (known && (known.id ?? id) === id) return known.encrypted
  return seal(signature, undefined, 'text', redacted)
}

/** Text fields of a reasoning item. */
export function writeThought({ text: said, raw }: ReasoningBlock): Json {
  if (said === '') return { summary: [] }
  return raw
    ? { summary: [], content: [{ type: 'reasoning_text', text: said }] }
    : { summary: [{ type: 'summary_text', text: said }] }
}
