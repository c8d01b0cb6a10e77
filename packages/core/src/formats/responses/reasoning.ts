import type { ReasoningBlock, Signature } from '../../canonical/block.ts'
import { seal, unsealThought } from '../../canonical/envelope.ts'
import { type Json, objects, text } from '../../canonical/json.ts'
import { itemOf, itemValue } from '../../canonical/reasoning-item.ts'
import { keepSide, unknownFields } from '../../canonical/side.ts'
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

/** What stands between the parts of a summary. */
export const BETWEEN = '\n\n'

/**
 * The reasoning of an item: its summary as one text, and what the model thought itself as another. What encrypts it
 * stands on the last. An item of which nothing is said but its id is one block without text.
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
    keepSide(last, ID, unknownFields(item, FIELDS))
  }
  return blocks
}

/** A thought of an item as it begins, of which no text has come. */
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

/** The signature of an item of which `said` is told. */
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

/** Encrypted content for the model that made it, and the id of the item that it is bound to. */
export function bare({ value }: Signature): { readonly id?: string; readonly encrypted_content: string } {
  const { id, encrypted } = itemOf(value)
  return { ...(id !== undefined && { id }), encrypted_content: encrypted }
}

/**
 * Encrypted content for a caller, who sends it back unread: as it is where the item has the id that it is bound to.
 * @param id of the item
 */
export function sealed(signature: Signature, id: string, redacted = false): string {
  const known = signature.signer === SIGNER ? itemOf(signature.value) : undefined
  if (known && (known.id ?? id) === id) return known.encrypted
  return seal(signature, undefined, 'text', redacted)
}

/** The texts of an item. */
export function writeThought({ text: said, raw }: ReasoningBlock): Json {
  if (said === '') return { summary: [] }
  return raw
    ? { summary: [], content: [{ type: 'reasoning_text', text: said }] }
    : { summary: [{ type: 'summary_text', text: said }] }
}
