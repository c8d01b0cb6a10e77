import type { Reply, StreamWriter } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { Part } from '../../canonical/part.ts'
import { sequential } from '../../canonical/sequential.ts'
import { CUT, failure } from '../../canonical/stream-failure.ts'
import type { Usage } from '../../canonical/usage.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { event, writeChoiceStream } from './choice-write.ts'
import { writeStreamError } from './error.ts'
import { writeFinish } from './finish.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a stream of named events: blocks strictly in sequence with consecutive numbers, and usage in the
 * `message_delta` before the end.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const inOrder = sequential()
  const blocks = writeChoiceStream(reply.id, losses)
  let usage: Usage | undefined
  let finish: (Part & { type: 'finish' }) | undefined
  let rest: (Part & { type: 'rest' }) | undefined
  let begun = false
  let over = false

  const begin = (part?: Part & { type: 'start' }): string => {
    if (begun) return ''
    begun = true
    const message: Json = {
      id: part?.id ?? `msg_${reply.id}`,
      type: 'message',
      role: 'assistant',
      model: part?.model ?? reply.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeUsage(usage, []),
    }
    if (part) writeExtensions(part, ID, message, losses)
    return event('message_start', { message })
  }

  const write = (part: Part): string => {
    switch (part.type) {
      case 'start':
        return begin(part)
      case 'block-start':
        return begin() + blocks.start(part.block)
      case 'block-delta':
        return blocks.add(part.delta)
      case 'block-end':
        return blocks.stop()
      case 'usage':
        usage = part.usage
        return ''
      case 'image':
        return ''
      case 'rest':
        rest = part
        return ''
      case 'finish':
        finish = part
        return begin()
      case 'logprobs':
        dropped(losses, 'logprobs', 'the messages format has no log probabilities')
        return ''
      case 'error':
        over = true
        return writeStreamError(failure(part.error), reply.id)
    }
  }

  return {
    push(part: Part): string {
      if (over) return ''
      if ('choice' in part && part.choice) dropped(losses, 'choices', 'the messages format has only one choice')
      let out = ''
      for (const next of inOrder(part)) out += write(next)
      return out
    },
    end(): string {
      if (over) return ''
      over = true
      if (!finish) return writeStreamError(failure(CUT), reply.id)
      const delta: Json = writeFinish(finish.finish, blocks.seen)
      writeExtensions(finish, ID, delta, losses)
      const end: Json = { usage: writeUsage(usage, losses) }
      if (rest) writeExtensions(rest, ID, end, losses)
      const { usage: counts, ...late } = end
      return event('message_delta', { delta: { ...delta, ...late }, usage: counts }) + event('message_stop', {})
    },
  }
}
