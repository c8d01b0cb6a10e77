import type { Node } from '../../canonical/block.ts'
import type { Reply, StreamWriter } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Part } from '../../canonical/part.ts'
import { failure } from '../../canonical/stream-failure.ts'
import { isWrittenTier } from '../../canonical/tier.ts'
import { type Usage, writable } from '../../canonical/usage.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { type ChatChoiceWriter, writeChoiceStream } from './choice-write.ts'
import { writeStreamError } from './error.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { now, tierFields, usesFunctionCall } from './response-write.ts'
import { writeUsage } from './usage.ts'
import { ID } from './wire.ts'

/**
 * Writes a stream: a chunk with the role, chunks of content, a chunk with the finish reason, usage on request, and
 * `[DONE]`. All have the same id, time and model. Nothing follows an error.
 */
export function writeStream(reply: Reply, losses: Loss[]): StreamWriter {
  const asFunctionCall = usesFunctionCall(reply.request)
  const choices = new Map<number, ChatChoiceWriter>()
  const suffix = reply.request.streamUsage ? '],"usage":null}\n\n' : ']}\n\n'
  let head: Json = {}
  /** JSON of a chunk up to its choice. */
  let prefix = ''
  let rest: (Part & { type: 'rest' }) | undefined
  let usage: Usage | undefined
  let failed = false
  let from: Node = {}

  const begin = (part?: Part & { type: 'start' }): void => {
    head = {
      id: part?.id ?? reply.id,
      object: 'chat.completion.chunk',
      created: part?.created ?? now(),
      model: part?.model ?? reply.model,
    }
    if (part) {
      from = part
      writeExtensions(part, ID, isOwn(part, ID) ? head : {}, losses, isWrittenTier)
    }
    prefix = prefixOf(head)
  }

  const chunk = (choice: number, delta: Json, more: Json = {}): string =>
    prefix + JSON.stringify({ index: choice, delta, finish_reason: null, ...more }) + suffix

  /** Writes to a choice. The role precedes its first content. */
  const within = (choice: number, write: (writer: ChatChoiceWriter) => Json | undefined): string => {
    if (prefix === '') begin()
    const known = choices.get(choice)
    const writer = known ?? writeChoiceStream(asFunctionCall, losses)
    if (!known) choices.set(choice, writer)
    const delta = write(writer)
    const role = known ? '' : chunk(choice, { role: 'assistant', content: '' })
    return delta ? role + chunk(choice, delta) : role
  }

  /** Late vendor extensions of the response, except usage. */
  const ownRest = (): Json => {
    const fields: Json = {}
    if (rest) writeExtensions(rest, ID, fields, losses)
    const { usage: _, ...others } = fields
    return others
  }

  const tier = (): Json => tierFields(usage, from, reply.request)

  const finish = (choice: number, part: Part & { type: 'finish' }): string => {
    const last: Json = { index: choice, delta: {}, finish_reason: writeFinish(part.finish, asFunctionCall) }
    writeExtensions(part, ID, last, losses)
    return prefixOf({ ...head, ...tier(), ...ownRest() }) + JSON.stringify(last) + suffix
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
      case 'image':
        return ''
      case 'rest':
        if (isOwn(part, ID)) rest = part
        else writeExtensions(part, ID, {}, losses, isWrittenTier)
        return ''
      case 'error':
        failed = true
        return writeStreamError(failure(part.error), reply.id)
    }
  }

  const counted = (): string => {
    const known = reply.request.streamUsage && writable(usage, losses)
    if (!known) return ''
    const body: Json = { usage: writeUsage(known, losses) }
    if (rest) writeExtensions(rest, ID, body, losses)
    return `${prefixOf({ ...head, ...tier() })}],"usage":${JSON.stringify(body['usage'])}}\n\n`
  }

  return {
    push: (part) => (failed ? '' : push(part)),
    end() {
      if (failed || prefix === '') return ''
      return `${counted()}data: [DONE]\n\n`
    },
  }
}

function prefixOf(head: Json): string {
  return `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`
}
