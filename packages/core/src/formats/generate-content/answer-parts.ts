import type { Block, Signature } from '../../chat/block.ts'
import { unseal } from '../../chat/envelope.ts'
import type { Origin } from '../../chat/format.ts'
import { isObject, type Json, text } from '../../chat/json.ts'
import { type CallBook, callBook } from './call-book.ts'
import { type HostedKind, readHosted } from './hosted.ts'
import { jsonText } from './json-text.ts'
import { readMedia } from './media-read.ts'
import { sideOf, unknownFields } from './side.ts'
import { SIGNER } from './wire.ts'

/** What parts of one answer are read with. */
export interface AnswerContext {
  readonly signer: string
  readonly book: CallBook
  /** An id for a call that came without one; no two answers give the same. */
  readonly nextId: () => string
}

export function answerContext(origin: Origin | undefined, responseId: string | undefined): AnswerContext {
  const base = responseId?.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 28) || randomId()
  let count = 0
  return { signer: origin?.signer ?? SIGNER, book: callBook(), nextId: () => `call_${base}_${count++}` }
}

function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const HOSTED: readonly HostedKind[] = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']
const PART: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall'])
const CALL: ReadonlySet<string> = new Set(['id', 'name', 'args'])

/** The signature of a part, made by whoever signs there. */
export function signatureOf(part: Json, signer: string): Signature | undefined {
  const value = text(part['thoughtSignature'])
  return value === undefined ? undefined : unseal(value, signer)
}

/** The block of one part of an answer; undefined for a part that says nothing. */
export function readAnswerPart(part: Json, context: AnswerContext): Block | undefined {
  if (isObject(part['functionCall'])) return readAnswerCall(part, part['functionCall'], context)
  if (part['inlineData'] !== undefined || part['fileData'] !== undefined) return readAnswerMedia(part, context)
  const hosted = HOSTED.find((kind) => part[kind] !== undefined)
  if (hosted) return readHosted(part, hosted, context.nextId(), context.book)
  const value = text(part['text']) ?? ''
  const signature = signatureOf(part, context.signer)
  if (value === '' && !signature) return undefined
  const side = sideOf(unknownFields(part, PART))
  const rest = { text: value, ...(signature && { signature }), ...(side && { side }) }
  return part['thought'] === true ? { type: 'reasoning', ...rest } : { type: 'text', ...rest }
}

function readAnswerCall(part: Json, call: Json, context: AnswerContext): Block | undefined {
  const name = text(call['name'])
  if (!name) return undefined
  const args = call['args']
  const signature = signatureOf(part, context.signer)
  const side = sideOf(unknownFields(part, PART), unknownFields(call, CALL, 'functionCall.'))
  return {
    type: 'tool-call',
    id: text(call['id']) || context.nextId(),
    name,
    arguments: typeof args === 'string' ? args : jsonText(args ?? {}),
    ...(signature && { signature }),
    ...(side && { side }),
  }
}

/** Images that the model drew while it thought are told apart from its answer by `thought` alone. */
function readAnswerMedia(part: Json, context: AnswerContext): Block | undefined {
  const media = readMedia(part)
  if (!media) return undefined
  const signature = signatureOf(part, context.signer)
  const side = sideOf(media.side?.fields, unknownFields(part, PART), part['thought'] === true ? { thought: true } : undefined)
  return { ...media, ...(signature && { signature }), ...(side && { side }) }
}

/**
 * Whether a block is nothing but a signature that came late, and belongs to the block before it: the vendor sends the signature
 * of streamed text or thoughts on an empty part.
 */
export function isLateSignature(
  block: Block,
  before: Block['type'] | undefined,
  beforeSigned: boolean,
): block is Block & { signature: Signature } {
  if ((block.type !== 'text' && block.type !== 'reasoning') || block.text !== '' || !block.signature || beforeSigned) return false
  return before === 'reasoning' || (before === 'text' && block.type === 'text')
}
