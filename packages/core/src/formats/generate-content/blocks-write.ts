import { argumentsObject, parseObject } from '../../canonical/arguments.ts'
import {
  type Block,
  blocksOf,
  type MediaBlock,
  type ReasoningBlock,
  type Signature,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { loseSignature, verifiable } from '../../canonical/signature.ts'
import { misplaced } from '../../canonical/tools.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { sentName } from '../../canonical/write-state.ts'
import { invalid } from '../../errors.ts'
import { writeCode } from './hosted.ts'
import { mimeOfUri } from './media-read.ts'
import { writeMedia, writeResolution } from './media-write.ts'
import { ID, NO_SIGNATURE } from './wire.ts'
import { type ContentWriteState, loseCache } from './write-state.ts'

/** Parts of a model's turn. */
export function writeModelBlocks(context: ContentWriteState, blocks: readonly Block[]): Json[] {
  const parts = blocks.flatMap((block, index) => {
    if (block.type === 'reasoning') return writeReasoning(context, block, blocks[index + 1])
    if (block.type === 'tool-call') return [writeCall(context, block, blocks[index - 1])]
    return writeBlock(context, block)
  })
  const first = parts.find((part) => part['functionCall'] !== undefined)
  if (first && context.model.signedCalls && first['thoughtSignature'] === undefined)
    first['thoughtSignature'] = NO_SIGNATURE
  return parts
}

/** Signature in reasoning directly before a call. Clients of formats without signatures of calls receive it there. */
function carriedSignature(block: Block | undefined, next: Block | undefined): Signature | undefined {
  return block?.type === 'reasoning' && next?.type === 'tool-call' && !next.signature ? block.signature : undefined
}

function writeReasoning({ target, losses }: ContentWriteState, block: ReasoningBlock, next: Block | undefined): Json[] {
  if (block.signature && !verifiable(block.signature, target)) {
    dropped(losses, block.at, 'reasoning of another model is not forwarded')
    return []
  }
  const signature = carriedSignature(block, next) ? undefined : block.signature
  if (block.text === '' && !signature) return []
  const part: Json = { text: block.text, thought: true }
  if (signature) part['thoughtSignature'] = signature.value
  writeExtensions(block, ID, part, losses)
  return [part]
}

function writeCall(context: ContentWriteState, block: ToolCallBlock, previous: Block | undefined): Json {
  const { target, losses } = context
  const functionCall: Json = {}
  if (context.callIds) functionCall['id'] = block.id
  functionCall['name'] = sentName(context, block.name)
  functionCall['args'] = argumentsObject(block, losses)
  const part: Json = { functionCall }
  const carried = verifiable(carriedSignature(previous, block), target)
  if (carried) part['thoughtSignature'] = carried.value
  else putSignature(context, block, part)
  loseCache(block, losses)
  writeExtensions(block, ID, part, losses)
  return part
}

function putSignature(
  { target, losses }: ContentWriteState,
  block: TextBlock | MediaBlock | ToolCallBlock,
  part: Json,
): void {
  const signature = verifiable(block.signature, target)
  if (signature) part['thoughtSignature'] = signature.value
  else loseSignature(block, losses)
}

/** Parts for text, media and other blocks, in turns of both roles. */
export function writeBlock(context: ContentWriteState, block: Block): Json[] {
  const { target, losses } = context
  switch (block.type) {
    case 'text': {
      if (block.text === '' && !verifiable(block.signature, target)) {
        writeExtensions(block, ID, {}, losses)
        return []
      }
      const part: Json = { text: block.text }
      putSignature(context, block, part)
      if (block.citations?.length) dropped(losses, under(block, 'citations'), 'requests have no citations')
      loseCache(block, losses)
      writeExtensions(block, ID, part, losses)
      return [part]
    }
    case 'media': {
      const part = writeMedia(block, target.facts, losses)
      writeResolution(block, context.model.resolution, part, losses)
      putSignature(context, block, part)
      loseCache(block, losses)
      writeExtensions(block, ID, part, losses)
      return [part]
    }
    case 'refusal':
      return block.text === '' ? [] : [{ text: block.text }]
    case 'reasoning':
      return writeReasoning(context, block, undefined)
    case 'hosted-call':
    case 'hosted-result': {
      const own = ownFields(block, ID)
      if (own) return [{ ...own }]
      const code = block.type === 'hosted-call' ? writeCode(block) : undefined
      if (code) {
        changed(losses, block.at, 'sent as executed code, without its container')
        return code
      }
      dropped(losses, block.at, 'a hosted tool of another provider')
      return []
    }
    default:
      throw misplaced(block, 'a turn of this role')
  }
}

/** Result of a call. The name of the tool comes from `callNames` or from the result. */
export function writeResult(
  context: ContentWriteState,
  block: ToolResultBlock,
  callNames: ReadonlyMap<string, string>,
): Json {
  const name = callNames.get(block.id) ?? block.name
  if (name === undefined)
    throw invalid(
      block.at,
      `${block.at ?? 'A tool result'} refers to the call "${block.id}", which is not in the conversation. Send the call, too.`,
    )
  const functionResponse: Json = {}
  if (context.callIds) functionResponse['id'] = block.id
  functionResponse['name'] = sentName(context, name)
  functionResponse['response'] = writeResponse(context, block)
  const inside = blocksOf(block.blocks, 'media').filter((media) => isInside(context, media))
  if (inside.length > 0) functionResponse['parts'] = inside.map((media) => writeInnerMedia(context, media))
  const part: Json = { functionResponse }
  loseCache(block, context.losses)
  writeExtensions(block, ID, part, context.losses)
  return part
}

function writeInnerMedia({ target, losses }: ContentWriteState, block: MediaBlock): Json {
  const part = writeMedia(block, target.facts, losses)
  loseCache(block, losses)
  writeExtensions(block, ID, part, losses)
  return part
}

/** Media types that are allowed in a function response. */
const INSIDE = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/

function isInside({ model }: ContentWriteState, media: MediaBlock): boolean {
  return model.toolMedia && INSIDE.test(mimeOf(media) ?? '')
}

function mimeOf({ mime, source }: MediaBlock): string | undefined {
  if (mime !== undefined) return mime
  return source.type === 'url' ? mimeOfUri(source.url) : source.type === 'text' ? 'text/plain' : undefined
}

/** Parts for media that are not allowed in a function response. They follow it, after a textual reference. */
export function writeMediaAfter(context: ContentWriteState, block: ToolResultBlock, name: string): Json[] {
  const media = mediaAfter(context, block)
  if (media.length === 0) return []
  for (const { at = block.at } of media) changed(context.losses, at, 'moved from the tool result to after it')
  return [{ text: `Attachment of tool result ${name}:` }, ...media.flatMap((inner) => writeBlock(context, inner))]
}

function mediaAfter(context: ContentWriteState, block: ToolResultBlock): MediaBlock[] {
  return blocksOf(block.blocks, 'media').filter((media) => !isInside(context, media))
}

/** Matches keys in a response that the API would read as references and reject. */
const REFERENCE = /"\$(?:ref|defs)"\s*:/

/** Response object of a tool: `output` for text, `error` for a failure, a JSON object unchanged. */
function writeResponse(context: ContentWriteState, block: ToolResultBlock): Json {
  const content = resultText(context, block) || mediaAfter(context, block).map(pointer).join('\n')
  if (block.error) return { error: content }
  return asObject(content) ?? { output: content }
}

/** Reference in a result to media that follow it. */
function pointer({ kind }: MediaBlock): string {
  return `[${kind} attached below]`
}

function resultText({ losses }: ContentWriteState, { blocks }: ToolResultBlock): string {
  const texts: string[] = []
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'refusal') texts.push(block.text)
    else if (block.type !== 'media') dropped(losses, block.at, 'a tool result can contain only text and media')
    if (block.type !== 'text') continue
    writeExtensions(block, ID, {}, losses)
    loseCache(block, losses)
  }
  return texts.join('\n')
}

/** The text as an object, unless that would change the meaning. */
function asObject(content: string): Json | undefined {
  if (!content.trimStart().startsWith('{') || REFERENCE.test(content)) return undefined
  const value = parseObject(content)
  if (!value) return undefined
  const keys = Object.keys(value)
  const misread = keys.length === 0 || (keys.length === 1 && (keys[0] === 'output' || keys[0] === 'error'))
  return misread ? undefined : value
}
