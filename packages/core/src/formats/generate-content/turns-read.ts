import type { Block } from '../../canonical/block.ts'
import { wrong } from '../../canonical/fields.ts'
import { type Json, object, objects, text } from '../../canonical/json.ts'
import { pendingCalls } from '../../canonical/pending-calls.ts'
import type { Message } from '../../canonical/request.ts'
import { misplaced } from '../../canonical/tools.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { type ContentReadState, readPart, withPartFields } from './blocks-read.ts'
import { hostedIds } from './hosted.ts'
import { isLateSignature } from './response-read.ts'
import { ID, SIGNER } from './wire.ts'

const CONTENT: ReadonlySet<string> = new Set(['role', 'parts'])

/** Reads the turns, with the system prompt first. */
export function readTurns(body: Json): Message[] {
  const conversation: ContentReadState = { calls: pendingCalls(), hosted: hostedIds() }
  const turns = objects(body['contents']).map((content, index) =>
    readTurn(content, index, `contents[${index}]`, conversation),
  )
  if (turns.length === 0) throw invalid('contents', 'contents is missing or empty. Send at least one turn.')
  const system = object(body['systemInstruction'])
  const blocks = system ? readSystem(system, 'systemInstruction') : []
  return system && blocks.length > 0
    ? [withFields({ role: 'system', at: 'systemInstruction', blocks }, system), ...turns]
    : turns
}

/** Reads the system prompt, which contains only text. */
function readSystem(content: Json, at: string): Block[] {
  return objects(content['parts']).map((part, index) => {
    const path = `${at}.parts[${index}]`
    const value = text(part['text'])
    if (value === undefined) throw invalid(path, `${path} is not text. A system instruction can contain only text.`)
    const { thought, thoughtSignature } = part
    const fields = {
      ...(thought === true && { thought }),
      ...(text(thoughtSignature) !== undefined && { thoughtSignature }),
    }
    return withPartFields(
      { type: 'text', at: path, text: value },
      part,
      Object.keys(fields).length > 0 ? fields : undefined,
    )
  })
}

function withFields(message: Message, content: Json): Message {
  const extensions = extensionsOf(ID, unknownFields(content, CONTENT))
  return extensions ? { ...message, extensions } : message
}

function readTurn(content: Json, index: number, at: string, conversation: ContentReadState): Message {
  const parts = objects(content['parts'])
  const role = readRole(content['role'], parts, at)
  const blocks = parts.map((part, number) => {
    const block = readPart(part, `${at}.parts[${number}]`, `call_${index}_${number}`, conversation)
    checkPlace(block, role)
    return block
  })
  return withFields({ role, at, blocks: rejoined(blocks) }, content)
}

/**
 * Merges the late signature of another vendor's reasoning into its block, since a stream sends it in a separate part.
 * Signatures of Gemini stay separate.
 */
function rejoined(blocks: Block[]): Block[] {
  const out: Block[] = []
  for (const block of blocks) {
    const before = out.at(-1)
    const late =
      before?.type === 'reasoning' &&
      !block.extensions &&
      isLateSignature(block, 'reasoning', before.signature !== undefined)
    if (late && block.type === 'reasoning' && block.signature.signer !== SIGNER)
      out[out.length - 1] = { ...before, signature: block.signature }
    else out.push(block)
  }
  return out
}

function readRole(role: unknown, parts: readonly Json[], at: string): 'user' | 'assistant' {
  if (role === 'model') return 'assistant'
  if (role === 'user' || role === 'function') return 'user'
  if (role === undefined || role === '')
    return parts.some((part) => part['functionCall'] !== undefined) ? 'assistant' : 'user'
  const path = `${at}.role`
  if (typeof role !== 'string') throw wrong(path, '"user" or "model"', role)
  throw invalid(
    path,
    `${path} is "${role.slice(0, 40)}". It must be "user" or "model"; a system prompt goes into systemInstruction.`,
  )
}

function checkPlace(block: Block, role: 'user' | 'assistant'): void {
  if (block.type === 'tool-call' && role === 'user') throw misplaced(block, 'a turn of the user')
  if (block.type === 'tool-result' && role === 'assistant') throw misplaced(block, 'a turn of the model')
}
