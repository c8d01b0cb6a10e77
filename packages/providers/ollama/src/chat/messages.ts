import {
  argumentsObject,
  type Block,
  changed,
  dropped,
  foreignFile,
  type Json,
  loseSignature,
  type MediaBlock,
  type Message,
  misplaced,
  refusedKind,
  refusedUrl,
  type ToolResultBlock,
  under,
  type WriteState,
  writeExtensions,
} from '@headgate/core/codec'

export const ID = 'ollama-chat'

/**
 * Writes messages in Ollama's format: text with images, and a separate message per tool result. `names` maps call ids
 * to tool names.
 */
export function writeMessages(context: WriteState, names: ReadonlyMap<string, string>): Json[] {
  return context.request.messages.flatMap((message) => {
    if (message.name !== undefined) dropped(context.losses, under(message, 'name'), 'messages have no name')
    writeExtensions(message, ID, {}, context.losses)
    return message.role === 'assistant' ? writeAnswer(context, message) : writeAsked(context, message, names)
  })
}

/** Content of a message. */
interface MessageContent {
  readonly texts: string[]
  readonly images: string[]
}

function content({ texts, images }: MessageContent): Json {
  return { content: texts.join('\n'), ...(images.length > 0 && { images }) }
}

/** Writes a system or user message: results first, followed by their images. */
function writeAsked(context: WriteState, { role, blocks }: Message, names: ReadonlyMap<string, string>): Json[] {
  const results: Json[] = []
  const said: MessageContent = { texts: [], images: [] }
  for (const block of blocks) {
    if (block.type === 'tool-result') results.push(writeResult(context, block, said, names))
    else write(context, block, said)
  }
  return said.texts.length + said.images.length > 0 ? [...results, { role, ...content(said) }] : results
}

function writeResult(
  context: WriteState,
  block: ToolResultBlock,
  after: MessageContent,
  names: ReadonlyMap<string, string>,
): Json {
  const { losses } = context
  loseMarks(context, block)
  writeExtensions(block, ID, {}, losses)
  if (block.error) dropped(losses, under(block, 'is_error'), 'results have no failure flag')
  const said: MessageContent = { texts: [], images: after.images }
  for (const one of block.blocks) {
    if (one.type === 'media') changed(losses, one.at ?? block.at, 'moved out of the tool result into a user message')
    write(context, one, said)
  }
  const name = block.name ?? names.get(block.id)
  return {
    role: 'tool',
    content: said.texts.join('\n'),
    tool_call_id: block.id,
    ...(name !== undefined && { tool_name: name }),
  }
}

function writeAnswer(context: WriteState, { blocks }: Message): Json[] {
  const { losses } = context
  const said: MessageContent = { texts: [], images: [] }
  const calls: Json[] = []
  const thoughts: string[] = []
  for (const block of blocks) {
    if (block.type === 'tool-call') {
      loseSignature(block, losses)
      loseMarks(context, block)
      writeExtensions(block, ID, {}, losses)
      calls.push({ id: block.id, function: { name: block.name, arguments: argumentsObject(block, losses) } })
    } else if (block.type === 'reasoning') {
      loseSignature(block, losses)
      writeExtensions(block, ID, {}, losses)
      if (block.text !== '') thoughts.push(block.text)
    } else write(context, block, said)
  }
  if (said.texts.length + said.images.length + calls.length === 0) return []
  const thinking = thoughts.length > 0 && { thinking: thoughts.join('\n') }
  return [{ role: 'assistant', ...content(said), ...thinking, ...(calls.length > 0 && { tool_calls: calls }) }]
}

function loseMarks({ losses }: WriteState, block: Block): void {
  if ('cache' in block && block.cache) dropped(losses, under(block, 'cache_control'), 'cache marks are not supported')
}

function write(context: WriteState, block: Block, { texts, images }: MessageContent): void {
  const { losses } = context
  writeExtensions(block, ID, {}, losses)
  loseMarks(context, block)
  switch (block.type) {
    case 'text':
      loseSignature(block, losses)
      if (block.citations) dropped(losses, under(block, 'citations'), 'citations are not accepted in requests')
      if (block.text !== '') texts.push(block.text)
      return
    case 'refusal':
      changed(losses, block.at, 'the refusal is sent as text')
      texts.push(block.text)
      return
    case 'media':
      images.push(imageOf(context, block))
      return
    case 'hosted-call':
    case 'hosted-result':
      dropped(losses, block.at ?? block.name, 'a tool that another provider ran')
      return
    default:
      throw misplaced(block, 'this place')
  }
}

function imageOf({ losses }: WriteState, block: MediaBlock): string {
  const { kind, source, detail, name, transcript } = block
  if (kind !== 'image' || source.type === 'text') throw refusedKind(block, 'text or images')
  if (source.type === 'file') throw foreignFile(block)
  if (source.type === 'url') throw refusedUrl(block)
  if (detail !== undefined && detail !== 'auto') dropped(losses, under(block, 'detail'), 'images have no detail level')
  if (name !== undefined) dropped(losses, under(block, 'name'), 'images have no name')
  if (transcript !== undefined) dropped(losses, under(block, 'transcript'), 'transcripts are not supported')
  loseSignature(block, losses)
  return source.data
}
