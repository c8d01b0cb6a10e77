import { type Block, isOwnSearch } from '../../canonical/block.ts'
import { loseCitation } from '../../canonical/citations.ts'
import { loseDetail, loseEnd } from '../../canonical/finish.ts'
import type { Frame, Origin, Reply, StreamReader, StreamWriter } from '../../canonical/format.ts'
import { isObject, type Json, objects, parse, text } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { Part } from '../../canonical/part.ts'
import type { ChatResponse, Choice, TokenLogprob } from '../../canonical/response.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeFinish } from '../chat-completions/finish.ts'
import { chatCompletions } from '../chat-completions/index.ts'
import { now } from '../chat-completions/response-write.ts'
import { writeUsage } from '../chat-completions/usage.ts'

/** Format whose vendor extensions are shared with this one. */
const EXTENSIONS = chatCompletions.id
const TEXT_ONLY = 'a legacy completion contains only text'

/** Text of a block. Undefined for other blocks, which are declared as lost. */
function begun(block: Block, losses: Loss[]): string | undefined {
  if (block.type !== 'text' && block.type !== 'refusal') {
    if (!isOwnSearch(block)) dropped(losses, block.at ?? block.type, TEXT_ONLY)
    return undefined
  }
  if (!isOwn(block, EXTENSIONS)) writeExtensions(block, EXTENSIONS, {}, losses)
  if (block.type === 'text') {
    loseSignature(block, losses)
    if (block.citations && block.citations.length > 0) loseCitation(block, losses)
  }
  return block.text
}

/**
 * Log probabilities in the shape of legacy completions.
 * @see https://platform.openai.com/docs/api-reference/completions/object
 */
function writeLogprobs(tokens: readonly TokenLogprob[] | undefined, from: number): Json | null {
  if (!tokens) return null
  let offset = from
  const offsets = tokens.map(({ token }) => {
    const at = offset
    offset += token.length
    return at
  })
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top = [] }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: offsets,
  }
}

function writeChoice(choice: Choice, index: number, losses: Loss[]): Json {
  const { finish, blocks, logprobs } = choice
  const said = blocks.map((block) => begun(block, losses) ?? '').join('')
  loseEnd(finish, choice, losses)
  loseDetail(finish, choice, losses)
  const out: Json = {
    text: said,
    index,
    logprobs: writeLogprobs(logprobs, 0),
    finish_reason: writeFinish(finish, false),
  }
  writeExtensions(choice, EXTENSIONS, out, losses)
  return out
}

/** Writes a whole response. */
export function writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json {
  const out: Json = {
    id: response.id ?? reply.id,
    object: 'text_completion',
    created: response.created ?? now(),
    model: response.model ?? reply.model,
    choices: response.choices.map((choice, index) => writeChoice(choice, index, losses)),
  }
  const usage = writable(response.usage, losses)
  if (usage) out['usage'] = writeUsage(usage, losses)
  writeExtensions(response, EXTENSIONS, out, losses)
  return out
}

/** Writes a stream: chunks of text, a chunk with the finish reason, usage on request, and `[DONE]`. */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  /** Length of each choice's text in UTF-16 code units, and the open text blocks. */
  const lengths = new Map<number, number>()
  const open = new Set<string>()
  let head: Json | undefined
  let usage: Usage | undefined
  let failed = false

  const frame = (rest: Json): string => {
    head ??= { id: reply.id, object: 'text_completion', created: now(), model: reply.model }
    return `data: ${JSON.stringify(Object.assign({}, head, rest))}\n\n`
  }
  const chunk = (index: number, said: string, logprobs: Json | null = null, finish: string | null = null): string => {
    lengths.set(index, (lengths.get(index) ?? 0) + said.length)
    return frame({ choices: [{ text: said, index, logprobs, finish_reason: finish }] })
  }
  const push = (part: Part): string => {
    const choice = 'choice' in part ? (part.choice ?? 0) : 0
    switch (part.type) {
      case 'start': {
        const { id = reply.id, created = now(), model = reply.model } = part
        head = { id, object: 'text_completion', created, model }
        writeExtensions(part, EXTENSIONS, isOwn(part, EXTENSIONS) ? head : {}, losses)
        return ''
      }
      case 'block-start': {
        const said = begun(part.block, losses)
        if (said !== undefined) open.add(`${choice}/${part.index}`)
        return said ? chunk(choice, said) : ''
      }
      case 'block-delta':
        return part.delta.text && open.has(`${choice}/${part.index}`) ? chunk(choice, part.delta.text) : ''
      case 'logprobs': {
        const length = part.tokens.reduce((sum, { token }) => sum + token.length, 0)
        return chunk(choice, '', writeLogprobs(part.tokens, Math.max(0, (lengths.get(choice) ?? 0) - length)))
      }
      case 'finish':
        loseEnd(part.finish, {}, losses)
        loseDetail(part.finish, {}, losses)
        return chunk(choice, '', null, writeFinish(part.finish, false))
      case 'usage':
        usage = part.usage
        return ''
      case 'image':
        return ''
      case 'rest':
        if (!isOwn(part, EXTENSIONS)) writeExtensions(part, EXTENSIONS, {}, losses)
        return ''
      case 'error':
        failed = true
        return chatCompletions.writeStreamError(failure(part.error), reply.id)
      default:
        return ''
    }
  }
  return {
    push: (part) => (failed ? '' : push(part)),
    end() {
      if (failed || !head) return ''
      const known = reply.request.streamUsage && writable(usage, losses)
      return `${known ? frame({ choices: [], usage: writeUsage(known, losses) }) : ''}data: [DONE]\n\n`
    },
  }
}

/** Response or chunk in the shape of chat completions. Its text becomes the content of a `message` or `delta`. */
function asChat(body: Json, place: 'message' | 'delta'): Json {
  const choices = objects(body['choices']).map(({ text: said, logprobs: _, ...choice }) =>
    Object.assign(choice, { [place]: { role: 'assistant', content: text(said) ?? '' } }),
  )
  return { ...body, choices }
}

/** Reads a whole response. */
export function readResponse(body: Json, origin?: Origin): ChatResponse {
  return chatCompletions.readResponse(asChat(body, 'message'), origin)
}

/** Reads a stream. */
export function readStream(origin?: Origin): StreamReader {
  const reader = chatCompletions.readStream(origin)
  const translated = (frame: Frame): Frame => {
    const chunk = parse(frame.data)
    return isObject(chunk) && Array.isArray(chunk['choices'])
      ? { ...frame, data: JSON.stringify(asChat(chunk, 'delta')) }
      : frame
  }
  return {
    push: (frame) => reader.push(translated(frame)),
    end: () => reader.end(),
    get finishing() {
      return reader.finishing ?? false
    },
  }
}
