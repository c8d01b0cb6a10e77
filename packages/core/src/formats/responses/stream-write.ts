import type { Node } from '../../canonical/block.ts'
import { loseDetail, loseEnd } from '../../canonical/finish.ts'
import type { Reply, StreamWriter } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { Part } from '../../canonical/part.ts'
import { sequential } from '../../canonical/sequential.ts'
import { CUT, failure } from '../../canonical/stream-failure.ts'
import { isWrittenTier } from '../../canonical/tier.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import type { HeadgateError } from '../../errors.ts'
import { failedResponse, writeFailure, writeStreamError } from './error.ts'
import type { EventWriter } from './items.ts'
import { writeOutput } from './output-write.ts'
import { putTier, writeEcho, writeEnd, writeHead } from './response-write.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a stream of numbered events: the start of the response, its items strictly in sequence, each with its parts,
 * deltas and complete values, and the whole response at the end.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const inOrder = sequential()
  const { events, emit, flush, nextNumber } = createEventBuffer(reply.storage?.announced)
  const output = writeOutput(reply, losses, events)
  let head: Json | undefined
  let from: Node = {}
  let usage: Usage | undefined
  let finish: (Part & { type: 'finish' }) | undefined
  let rest: (Part & { type: 'rest' }) | undefined
  let over = false

  const begin = (part?: Part & { type: 'start' }): void => {
    if (head) return
    if (part) from = part
    head = { ...writeHead(part ?? {}, reply), ...writeEcho(reply) }
    if (part) writeExtensions(part, ID, head, losses, isWrittenTier)
    const response = {
      ...head,
      status: 'in_progress',
      completed_at: null,
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
    }
    // The event is serialized once, since it includes the large settings of the request.
    const said = JSON.stringify({ response })
    if (!reply.storage?.announced) emit('response.created', said)
    emit('response.in_progress', said)
  }

  const write = (part: Part): void => {
    switch (part.type) {
      case 'start':
        begin(part)
        break
      case 'block-start':
        begin()
        output.start(part.block)
        break
      case 'block-delta':
        output.add(part.delta)
        break
      case 'block-end':
        output.stop()
        break
      case 'image':
        begin()
        if (part.state === 'generating') output.beginImage(part.ref)
        else output.failImage()
        break
      case 'logprobs':
        output.logprobs(part.tokens)
        break
      case 'usage':
        usage = part.usage
        break
      case 'rest':
        rest = part
        break
      case 'finish':
        begin()
        finish = part
        break
      case 'error':
        break
    }
  }

  const end = (part: Part & { type: 'finish' }): void => {
    loseEnd(part.finish, {}, losses)
    loseDetail(part.finish, {}, losses)
    writeExtensions(part, ID, {}, losses)
    const last = writeEnd(part.finish, output)
    const counted = writable(usage, losses)
    const response: Json = {
      ...head,
      ...last,
      output: output.output,
      usage: counted ? writeUsage(counted, losses) : null,
    }
    if (!isOwn(from, ID)) putTier(response, usage, rest?.extensions ?? from.extensions)
    if (rest) writeExtensions(rest, ID, response, losses, isWrittenTier)
    reply.storage?.save(response)
    events.event(`response.${String(last['status'])}`, { response })
  }

  const fail = (error: HeadgateError): string => {
    over = true
    if (!head) return writeStreamError(error, reply.id)
    const response = { ...head, completed_at: null, output: output.output }
    if (reply.storage?.background) reply.storage.save(failedResponse(error, response))
    return flush() + writeFailure(error, { response, next: nextNumber() })
  }

  return {
    fail,
    push(part) {
      if (over) return ''
      if ('choice' in part && part.choice) dropped(losses, 'choices', 'the responses format has only one choice')
      for (const next of inOrder(part)) {
        if (next.type === 'error') return fail(failure(next.error))
        write(next)
      }
      return flush()
    },
    end() {
      if (over) return ''
      if (!finish) return fail(failure(CUT))
      over = true
      end(finish)
      return flush()
    },
  }
}

/**
 * Creates a writer that numbers events and buffers them until `flush`. `emit` accepts the fields as a JSON object,
 * which must not be empty. `nextNumber` returns the number of the next event.
 */
function createEventBuffer(first = 0): {
  events: EventWriter
  emit(type: string, fields: string): void
  flush(): string
  nextNumber(): number
} {
  let text = ''
  let count = first
  const emit = (type: string, fields: string): void => {
    text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${count++},${fields.slice(1)}\n\n`
  }
  return {
    emit,
    nextNumber: () => count,
    events: {
      event: (type, fields) => emit(type, JSON.stringify(fields)),
      piece({ before, after }, delta) {
        text += `${before}${count++}${after}${JSON.stringify(delta)}}\n\n`
      },
    },
    flush() {
      const out = text
      text = ''
      return out
    },
  }
}
