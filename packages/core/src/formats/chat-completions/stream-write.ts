import { failure } from '../../chat/failure.ts'
import type { Reply, StreamWriter } from '../../chat/format.ts'
import type { Json } from '../../chat/json.ts'
import type { Loss } from '../../chat/loss.ts'
import type { Part } from '../../chat/part.ts'
import { isOwn, writeSide } from '../../chat/side.ts'
import type { Usage } from '../../chat/usage.ts'
import { type ChoiceWriter, writeChoiceStream } from './choice-write.ts'
import { writeStreamError } from './error.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { isLegacy, now } from './response-write.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a stream: a chunk with the role, chunks of content, one with the finish reason, usage if it was asked for, `[DONE]`.
 * Id, time and model are the same in all. After an error nothing follows.
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const legacy = isLegacy(reply.request)
  const choices = new Map<number, ChoiceWriter>()
  const suffix = reply.request.streamUsage ? '],"usage":null}\n\n' : ']}\n\n'
  /** The text of a chunk up to its choice. */
  let prefix = ''
  let usage: Usage | undefined
  let failed = false

  const begin = (part?: Part & { type: 'start' }): void => {
    const head: Json = {
      id: part?.id ?? reply.id,
      object: 'chat.completion.chunk',
      created: part?.created ?? now(),
      model: part?.model ?? reply.model,
    }
    if (part) writeSide(part, ID, isOwn(part, ID) ? head : {}, losses)
    prefix = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`
  }

  const chunk = (choice: number, delta: Json, more: Json = {}): string =>
    prefix + JSON.stringify({ index: choice, delta, finish_reason: null, ...more }) + suffix

  /** The role goes out with the first that is known of a choice. */
  const within = (choice: number, write: (writer: ChoiceWriter) => Json | undefined): string => {
    if (prefix === '') begin()
    const known = choices.get(choice)
    const writer = known ?? writeChoiceStream(legacy, losses)
    if (!known) choices.set(choice, writer)
    const delta = write(writer)
    const role = known ? '' : chunk(choice, { role: 'assistant', content: '' })
    return delta ? role + chunk(choice, delta) : role
  }

  const finish = (choice: number, part: Part & { type: 'finish' }): string => {
    const last: Json = { index: choice, delta: {}, finish_reason: writeFinish(part.finish, legacy) }
    writeSide(part, ID, last, losses)
    return prefix + JSON.stringify(last) + suffix
  }

  const push = (part: Part): string => {
    const choice = 'choice' in part ? (part.choice ?? 0) : 0
    switch (part.type) {
      case 'start':
        begin(part)
        return within(0, () => undefined)
      case 'block-start':
        return within(choice, (writer) => writer.start(part.index, part.block))
      case 'block-delta':
        return within(choice, (writer) => writer.delta(part.index, part.delta))
      case 'block-end':
        return within(choice, (writer) => writer.end(part.index))
      case 'logprobs':
        return within(choice, () => undefined) + chunk(choice, {}, { logprobs: writeLogprobs(part.tokens, false) })
      case 'finish':
        return within(choice, (writer) => writer.finish(part.finish)) + finish(choice, part)
      case 'usage':
        usage = part.usage
        return ''
      case 'error':
        failed = true
        return writeStreamError(failure(part.error), reply.id)
    }
  }

  return {
    push: (part) => (failed ? '' : push(part)),
    end() {
      if (failed || prefix === '') return ''
      const counted = reply.request.streamUsage && usage ? `${prefix}],"usage":${JSON.stringify(writeUsage(usage, losses))}}\n\n` : ''
      return `${counted}data: [DONE]\n\n`
    },
  }
}
