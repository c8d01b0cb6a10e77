import {
  type Block,
  changed,
  dataUrl,
  dropped,
  foreignFile,
  type Json,
  loseSignature,
  type MediaBlock,
  type Message,
  misplaced,
  refusedKind,
  refusedMedia,
  sentName,
  sniff,
  under,
  type WriteState,
  writeExtensions,
} from '@headgate/core/codec'

export const ID = 'cohere-chat'

/** Writes messages in Cohere's format. Every tool result is a separate message. */
export function writeMessages(context: WriteState): Json[] {
  return context.request.messages.flatMap((message) => {
    if (message.name !== undefined) dropped(context.losses, under(message, 'name'), 'messages have no name')
    writeExtensions(message, ID, {}, context.losses)
    return message.role === 'assistant' ? writeAnswer(context, message) : writeAsked(context, message)
  })
}

/** Writes a system or user message, results first. */
function writeAsked(context: WriteState, { role, blocks }: Message): Json[] {
  const results: Json[] = []
  const content: Json[] = []
  for (const block of blocks) {
    if (block.type !== 'tool-result') {
      content.push(...writeBlock(context, block))
      continue
    }
    loseMarks(context, block)
    writeExtensions(block, ID, {}, context.losses)
    if (block.error) dropped(context.losses, under(block, 'is_error'), 'results have no failure flag')
    const said = block.blocks.flatMap((one) => {
      if (one.type === 'media')
        throw refusedMedia(one, 'is a file within a tool result, which must be text. Send the file in a user message.')
      return writeBlock(context, one)
    })
    results.push({ role: 'tool', tool_call_id: block.id, content: said.length > 0 ? said : '' })
  }
  return content.length > 0 ? [...results, { role, content }] : results
}

function writeAnswer(context: WriteState, { blocks }: Message): Json[] {
  const { losses } = context
  const content: Json[] = []
  const calls: Json[] = []
  const plans: string[] = []
  const isCalling = blocks.some(({ type }) => type === 'tool-call')
  for (const block of blocks) {
    if (block.type === 'tool-call') {
      loseSignature(block, losses)
      loseMarks(context, block)
      writeExtensions(block, ID, {}, losses)
      const args = block.custom ? JSON.stringify({ input: block.arguments }) : block.arguments || '{}'
      calls.push({ id: block.id, type: 'function', function: { name: sentName(context, block.name), arguments: args } })
    } else if (block.type === 'reasoning') {
      loseSignature(block, losses)
      writeExtensions(block, ID, {}, losses)
      // Text before calls has a separate field.
      if (block.text !== '' && isCalling) plans.push(block.text)
      else if (block.text !== '') content.push({ type: 'thinking', thinking: block.text })
    } else if (block.type === 'media')
      dropped(losses, block.at ?? 'media', 'assistant messages in requests can only contain text and calls')
    else content.push(...writeBlock(context, block))
  }
  const plan = plans.length > 0 && { tool_plan: plans.join('\n') }
  if (content.length === 0 && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      ...(content.length > 0 && { content }),
      ...plan,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

function loseMarks({ losses }: WriteState, block: Block): void {
  if ('cache' in block && block.cache) dropped(losses, under(block, 'cache_control'), 'cache marks are not supported')
}

function writeBlock(context: WriteState, block: Block): Json[] {
  const { losses } = context
  writeExtensions(block, ID, {}, losses)
  loseMarks(context, block)
  switch (block.type) {
    case 'text':
      loseSignature(block, losses)
      if (block.citations) dropped(losses, under(block, 'citations'), 'citations are not accepted in requests')
      return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    case 'refusal':
      changed(losses, block.at, 'the refusal is sent as text')
      return [{ type: 'text', text: block.text }]
    case 'media':
      return [writeImage(context, block)]
    case 'hosted-call':
    case 'hosted-result':
      dropped(losses, block.at ?? block.name, 'a tool that another provider ran')
      return []
    default:
      throw misplaced(block, 'this place')
  }
}

function writeImage({ losses }: WriteState, block: MediaBlock): Json {
  const { kind, source, detail, name, transcript } = block
  if (kind !== 'image') throw refusedKind(block, 'text or images')
  if (source.type === 'file') throw foreignFile(block)
  if (name !== undefined) dropped(losses, under(block, 'name'), 'images have no name')
  if (transcript !== undefined) dropped(losses, under(block, 'transcript'), 'transcripts are not supported')
  loseSignature(block, losses)
  if (source.type === 'text') throw refusedKind(block, 'an image')
  const url = source.type === 'url' ? source.url : dataUrl(sniff(source.data) ?? block.mime ?? 'image/png', source.data)
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } }
}
