import type { Reply, StreamWriter } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { arrayWriter } from '../../canonical/json-array.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Part } from '../../canonical/part.ts'
import { sequential } from '../../canonical/sequential.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { type ContentChoiceWriter, writeChoiceStream } from './choice-write.ts'
import { writeError } from './error.ts'
import { writeLogprobs } from './logprobs.ts'
import { writeHead } from './response-write.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a stream of partial responses: text as it arrives, complete function calls, and finish reasons with usage in
 * the last chunk. A JSON array starts with the response.
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const choices = new Map<number, OrderedChoice>()
  const framing = framer(reply.framing ?? 'sse')
  let head = writeHead({}, reply)
  /** JSON end of every chunk. */
  let tail = JSON.stringify(head).slice(1)
  let start: (Part & { type: 'start' }) | undefined
  let rest: (Part & { type: 'rest' }) | undefined
  let usage: Usage | undefined

  const choiceAt = (number: number): OrderedChoice => {
    const known = choices.get(number)
    if (known) return known
    const made = { writer: writeChoiceStream(number, losses), inOrder: sequential() }
    choices.set(number, made)
    return made
  }

  const chunk = (part: Json | undefined, number = 0): string => {
    if (!part) return ''
    return framing.frame(
      `{"candidates":[{"content":{"parts":[${JSON.stringify(part)}],"role":"model"},"index":${number}}],${tail}`,
    )
  }

  /** Writes parts of blocks, in the order of their blocks. */
  const write = (part: BlockPart | (Part & { type: 'finish' })): string => {
    const number = part.choice ?? 0
    const { writer, inOrder } = choiceAt(number)
    let out = ''
    for (const next of inOrder(number === 0 ? part : { ...part, choice: 0 })) {
      if (next.type === 'block-start') out += chunk(writer.start(next.index, next.block), number)
      else if (next.type === 'block-delta') out += chunk(writer.add(next.index, next.delta), number)
      else if (next.type === 'block-end') out += chunk(writer.stop(next.index), number)
      else if (next.type === 'finish') writer.end(next.finish, next.extensions)
    }
    return out
  }

  const begin = (part: Part & { type: 'start' }): string => {
    start = part
    head = writeHead(part, reply)
    tail = JSON.stringify(head).slice(1)
    return framing.begin(head)
  }

  const end = (): string => {
    const sorted = [...choices].sort(([a], [b]) => a - b)
    let out = ''
    for (const [number, { writer }] of choices) for (const part of writer.stopAll()) out += chunk(part, number)
    const candidates = sorted.map(([, { writer }]) => writer.last()).filter((candidate) => candidate !== undefined)
    if (candidates.length === 0 && !usage) return out + framing.end()
    const last: Json = {}
    const blocked =
      start &&
      ownFields(start, ID)?.['promptFeedback'] !== undefined &&
      !sorted.some(([, { writer }]) => writer.written)
    if (!blocked) last['candidates'] = candidates
    const known = writable(usage, losses)
    if (known) last['usageMetadata'] = writeUsage(known, losses)
    Object.assign(last, head)
    if (start) writeExtensions(start, ID, last, losses)
    if (rest) writeExtensions(rest, ID, last, losses)
    return out + framing.frame(JSON.stringify(last)) + framing.end()
  }

  return {
    push(part) {
      switch (part.type) {
        case 'start':
          return begin(part)
        case 'block-start':
        case 'block-delta':
        case 'block-end':
        case 'finish':
          return write(part)
        case 'logprobs': {
          const result = JSON.stringify(writeLogprobs(part.tokens))
          return framing.frame(`{"candidates":[{"logprobsResult":${result},"index":${part.choice ?? 0}}],${tail}`)
        }
        case 'usage':
          usage = part.usage
          return ''
        case 'image':
          return ''
        case 'rest':
          rest = part
          return ''
        case 'error':
          return framing.frame(JSON.stringify(writeError(failure(part.error), reply.id))) + framing.end()
      }
    },
    end,
  }
}

type BlockPart = Part & { type: 'block-start' | 'block-delta' | 'block-end' }

interface OrderedChoice {
  readonly writer: ContentChoiceWriter
  readonly inOrder: ReturnType<typeof sequential>
}

/** Framing of chunks. */
interface Framer {
  begin(head: Json): string
  frame(json: string): string
  end(): string
}

function framer(framing: 'sse' | 'json-array'): Framer {
  if (framing === 'sse') return { begin: () => '', frame: (json) => `data: ${json}\r\n\r\n`, end: () => '' }
  const array = arrayWriter()
  return {
    begin: (head) => (array.begun ? '' : array.element(JSON.stringify(head))),
    frame: array.element,
    end: array.end,
  }
}
