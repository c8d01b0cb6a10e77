import type { Block, Citation, Side, Signature } from '../../chat/block.ts'
import type { Reply, StreamWriter } from '../../chat/format.ts'
import type { Json } from '../../chat/json.ts'
import { type Loss, writeSide } from '../../chat/loss.ts'
import type { Delta, Part } from '../../chat/part.ts'
import type { Finish } from '../../chat/response.ts'
import type { Usage } from '../../chat/usage.ts'
import { HeadgateError } from '../../errors.ts'
import { sealed, writeAnswerPart } from './answer-parts-write.ts'
import { writeError } from './error.ts'
import { writeGrounding } from './grounding.ts'
import { writeLogprobs } from './logprobs.ts'
import { writeEnd, writeIdentity } from './response.ts'
import { restoreSide } from './side.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/** A block that was opened and not closed. */
interface OpenBlock {
  readonly block: Block
  /** Arguments of a call so far: the wire has them whole. */
  arguments: string
  /** A signature that is not written yet. */
  signature: Signature | undefined
  /** Where the block's text starts within that of the choice. */
  readonly base: number
}

/** What is known of one choice. */
interface ChoiceState {
  readonly open: Map<number, OpenBlock>
  /** Its text so far and what supports it: sources are named at the end. */
  text: string
  readonly citations: Citation[]
  refused: boolean
  content: boolean
  finish: Finish | undefined
  side: Side | undefined
}

/**
 * Writes a stream of partial answers: text as it comes, function calls whole, the reasons to end with the usage in a last chunk.
 * A JSON array is opened with the start of the answer.
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const choices = new Map<number, ChoiceState>()
  const framing = framer(reply.framing ?? 'sse')
  let identity = writeIdentity({}, reply)
  let tail = tailOf(identity)
  let start: Extract<Part, { type: 'start' }> | undefined
  let usage: Usage | undefined

  const choiceOf = (number = 0): ChoiceState => {
    const known = choices.get(number)
    if (known) return known
    const made: ChoiceState = {
      open: new Map(),
      text: '',
      citations: [],
      refused: false,
      content: false,
      finish: undefined,
      side: undefined,
    }
    choices.set(number, made)
    return made
  }

  const chunk = (part: Json, number = 0): string => {
    choiceOf(number).content = true
    return framing.frame(`{"candidates":[{"content":{"parts":[${JSON.stringify(part)}],"role":"model"},"index":${number}}],${tail}`)
  }

  const begin = (part: Extract<Part, { type: 'start' }>): string => {
    start = part
    identity = writeIdentity(part, reply)
    tail = tailOf(identity)
    return framing.begin(identity)
  }

  const open = (part: Extract<Part, { type: 'block-start' }>): string => {
    const { block } = part
    const choice = choiceOf(part.choice)
    const entry: OpenBlock = {
      block,
      arguments: 'arguments' in block ? block.arguments : '',
      signature: undefined,
      base: choice.text.length,
    }
    choice.open.set(part.index, entry)
    if (block.type === 'refusal') choice.refused = true
    if (block.type === 'text') cite(choice, entry, block.citations)
    if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'refusal') {
      entry.signature = 'signature' in block ? block.signature : undefined
      return ''
    }
    if (block.type === 'text') choice.text += block.text
    const written = writeAnswerPart(block, losses)
    return written ? chunk(written, part.choice) : ''
  }

  const add = (entry: OpenBlock, delta: Delta, choice: ChoiceState, number: number | undefined): string => {
    if (delta.signature) entry.signature = delta.signature
    if (delta.arguments !== undefined) entry.arguments += delta.arguments
    cite(choice, entry, delta.citations)
    if (!delta.text) return ''
    const { type } = entry.block
    if (type === 'text') choice.text += delta.text
    if (type === 'reasoning') return chunk({ text: delta.text, thought: true }, number)
    return type === 'text' || type === 'refusal' ? chunk({ text: delta.text }, number) : ''
  }

  const close = (entry: OpenBlock, number: number | undefined): string => {
    const { block, signature } = entry
    if (block.type === 'text' || block.type === 'reasoning') {
      if (!signature) return ''
      return chunk({ text: '', ...(block.type === 'reasoning' && { thought: true }), thoughtSignature: sealed(signature) }, number)
    }
    if (block.type === 'refusal') return ''
    const whole = block.type === 'tool-call' ? { ...block, arguments: entry.arguments } : block
    const written = writeAnswerPart('signature' in whole || !signature ? whole : ({ ...whole, signature } as Block), losses)
    return written ? chunk(written, number) : ''
  }

  const end = (): string => {
    const left = [...choices].map(([number, choice]) => [...choice.open.values()].map((entry) => close(entry, number)).join('')).join('')
    const finished = [...choices].filter(([, choice]) => choice.finish).sort(([a], [b]) => a - b)
    if (finished.length === 0 && !usage) return left + framing.end()
    const last: Json = {}
    const blocked = isBlocked(start?.side) && finished.every(([, choice]) => !choice.content)
    if (!blocked) last['candidates'] = finished.map(([number, choice]) => lastCandidate(number, choice, losses))
    if (usage) last['usageMetadata'] = writeUsage(usage, losses)
    Object.assign(last, identity)
    if (start?.side) restoreSide({ side: start.side }, last, losses)
    return left + framing.frame(JSON.stringify(last)) + framing.end()
  }

  return {
    push(part) {
      switch (part.type) {
        case 'start':
          return begin(part)
        case 'block-start':
          return open(part)
        case 'block-delta': {
          const choice = choiceOf(part.choice)
          const entry = choice.open.get(part.index)
          return entry ? add(entry, part.delta, choice, part.choice) : ''
        }
        case 'block-end': {
          const choice = choiceOf(part.choice)
          const entry = choice.open.get(part.index)
          choice.open.delete(part.index)
          return entry ? close(entry, part.choice) : ''
        }
        case 'logprobs':
          return framing.frame(
            `{"candidates":[{"logprobsResult":${JSON.stringify(writeLogprobs(part.tokens))},"index":${part.choice ?? 0}}],${tail}`,
          )
        case 'usage':
          usage = part.usage
          return ''
        case 'finish':
          choiceOf(part.choice).finish = part.finish
          choiceOf(part.choice).side = part.side
          return ''
        case 'error': {
          const { kind, message, retryAfterMs } = part.error
          return framing.frame(JSON.stringify(writeError(new HeadgateError(kind, message, { retryAfterMs }), reply.id))) + framing.end()
        }
      }
    },
    end,
  }
}

/** The end of every chunk. */
function tailOf(identity: Json): string {
  return JSON.stringify(identity).slice(1)
}

function isBlocked(side: Side | undefined): boolean {
  return side?.format === ID && side.fields['promptFeedback'] !== undefined
}

/** Spans count from the start of the choice's text, which is how clients put the chunks together. */
function cite(choice: ChoiceState, entry: OpenBlock, citations: readonly Citation[] | undefined): void {
  for (const citation of citations ?? []) {
    const spans = citation.start !== undefined && citation.end !== undefined
    choice.citations.push(
      spans
        ? { ...citation, start: (citation.start ?? 0) + entry.base, end: (citation.end ?? 0) + entry.base }
        : { ...citation, start: entry.base },
    )
  }
}

function lastCandidate(number: number, choice: ChoiceState, losses: Loss[]): Json {
  const { finish = { reason: 'stop' }, side } = choice
  const candidate: Json = {
    content: { parts: [{ text: '' }], role: 'model' },
    ...writeEnd(finish, choice.refused, {}, losses),
    index: number,
  }
  const grounding = side?.format === ID ? undefined : writeGrounding([{ text: choice.text, citations: choice.citations }], losses)
  if (grounding) candidate['groundingMetadata'] = grounding
  if (side?.format === ID) restoreSide({ side }, candidate, losses)
  else if (side) writeSide({ side }, ID, candidate, losses)
  return candidate
}

/** How chunks are put on the wire. */
interface Framer {
  begin(identity: Json): string
  frame(json: string): string
  end(): string
}

function framer(framing: 'sse' | 'json-array'): Framer {
  if (framing === 'sse') return { begin: () => '', frame: (json) => `data: ${json}\r\n\r\n`, end: () => '' }
  let open = false
  let closed = false
  const frame = (json: string): string => {
    const before = open ? '\n,\r\n' : '['
    open = true
    return before + json
  }
  return {
    begin: (identity) => (open ? '' : frame(JSON.stringify(identity))),
    frame,
    end: () => {
      if (closed) return ''
      closed = true
      return open ? '\n]' : '[]'
    },
  }
}
