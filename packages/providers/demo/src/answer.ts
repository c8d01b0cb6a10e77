import type {
  Block,
  ChatRequest,
  Finish,
  MediaBlock,
  Message,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '@headgate/core/codec'
import { sample } from './sample.ts'
import { countText, firstTokens } from './tokens.ts'
import { toolCalls } from './tool-calls.ts'

/** Maximum output tokens of an answer. */
export const MOST_TOKENS = 4_096

/** Maximum tokens of the caller's text that are quoted. */
const QUOTE = 100

export interface DemoReply {
  readonly blocks: readonly (TextBlock | ToolCallBlock)[]
  readonly finish: Finish
  /** Output tokens. */
  readonly output: number
}

/** Answer of the demo. It is deterministic, and states that no model was called. */
export function answerTo(request: ChatRequest): DemoReply {
  const turn = lastTurn(request.messages)
  const calls = toolCalls(request, textAfterResults(turn))
  const text =
    calls.length > 0 ? `Headgate demo: calling ${calls.map(({ name }) => name).join(', ')}.` : wordsFor(request, turn)
  return limited(request, text, calls)
}

/** Applies limits: stop sequences end the text, the token limit ends the whole answer. */
function limited(
  { stop = [], maxTokens = MOST_TOKENS }: ChatRequest,
  text: string,
  calls: readonly ToolCallBlock[],
): DemoReply {
  const stopped = stop
    .filter((sequence) => sequence !== '' && text.includes(sequence))
    .sort((a, b) => text.indexOf(a) - text.indexOf(b))[0]
  const said = stopped === undefined ? text : text.slice(0, text.indexOf(stopped))
  const whole: (TextBlock | ToolCallBlock)[] = [{ type: 'text', text: said }, ...(stopped === undefined ? calls : [])]

  const limit = Math.min(maxTokens, MOST_TOKENS)
  const blocks: (TextBlock | ToolCallBlock)[] = []
  let output = 0
  for (const block of whole) {
    const content = contentOf(block)
    const kept = firstTokens(content, limit - output)
    output += countText(kept)
    if (kept !== '' || content === '') blocks.push(withContent(block, kept))
    if (kept !== content) return { blocks, output, finish: { reason: 'length' } }
  }
  if (stopped !== undefined) return { blocks, output, finish: { reason: 'stop-sequence', sequence: stopped } }
  return { blocks, output, finish: { reason: calls.length > 0 ? 'tool-calls' : 'stop' } }
}

/** Streamed content of a block. */
export function contentOf(block: TextBlock | ToolCallBlock): string {
  return block.type === 'text' ? block.text : block.arguments
}

export function withContent(block: TextBlock | ToolCallBlock, content: string): TextBlock | ToolCallBlock {
  return block.type === 'text' ? { ...block, text: content } : { ...block, arguments: content }
}

function wordsFor(request: ChatRequest, turn: readonly Block[]): string {
  if (request.output?.type === 'schema') return JSON.stringify(sample(request.output.schema))
  const words = prose(request, turn)
  return request.output?.type === 'json' ? JSON.stringify({ demo: words }) : words
}

function prose(request: ChatRequest, turn: readonly Block[]): string {
  const said = textOf(turn)
  const results = turn.filter((block) => block.type === 'tool-result')
  const media = mediaIn(request.messages.flatMap(({ blocks }) => blocks))
  const hosted = (request.tools ?? []).filter(({ type }) => type === 'hosted').map(({ name }) => name)
  return [
    'Headgate demo: no model was called.',
    ...results.map(
      (result) =>
        `The tool ${toolName(request, result)} ${result.error ? 'failed' : 'answered'}: ${textOf(result.blocks)}`,
    ),
    ...(said === '' ? [] : [`You said: ${quote(said)}`]),
    ...(media.length === 0 ? [] : [`You sent ${inventory(media)}.`]),
    ...(hosted.length === 0 ? [] : [`The demo does not run ${hosted.join(', ')}.`]),
  ].join('\n')
}

function quote(text: string): string {
  const start = firstTokens(text, QUOTE)
  return start === text ? text : `${start}…`
}

/** User blocks since the last answer. A prefilled answer is skipped. */
function lastTurn(messages: readonly Message[]): Block[] {
  const talk = messages.filter(({ role }) => role !== 'system')
  const end = talk.findLastIndex(({ role }) => role === 'user') + 1
  const start = talk.slice(0, end).findLastIndex(({ role }) => role === 'assistant') + 1
  return talk.slice(start, end).flatMap(({ blocks }) => blocks)
}

function textAfterResults(turn: readonly Block[]): string {
  return textOf(turn.slice(turn.findLastIndex(({ type }) => type === 'tool-result') + 1))
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n')
}

function toolName({ messages }: ChatRequest, { id, name }: ToolResultBlock): string {
  const call = messages.flatMap(({ blocks }) => blocks).find((block) => block.type === 'tool-call' && block.id === id)
  return name ?? (call?.type === 'tool-call' ? call.name : id)
}

function mediaIn(blocks: readonly Block[]): MediaBlock[] {
  return blocks.flatMap((block) =>
    block.type === 'media' ? block : block.type === 'tool-result' ? mediaIn(block.blocks) : [],
  )
}

/** Summary of media, for example `2 images, 1 PDF`. */
function inventory(media: readonly MediaBlock[]): string {
  const counts = new Map<string, number>()
  for (const block of media) counts.set(wordFor(block), (counts.get(wordFor(block)) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ')
}

function wordFor({ kind, mime }: MediaBlock): string {
  if (kind === 'audio') return 'sound'
  return kind === 'document' && mime === 'application/pdf' ? 'PDF' : kind
}
