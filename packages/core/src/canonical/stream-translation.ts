import { HeadgateError } from '../errors.ts'
import type { Codec, Format, Frame, Origin, Reply, Restore, StreamWriter } from './format.ts'
import type { Loss } from './loss.ts'
import type { Part } from './part.ts'
import type { Finish } from './response.ts'
import { restoreParts } from './restore.ts'
import { failure } from './stream-failure.ts'
import { addText, createTextSample, type TextSample } from './text-sample.ts'
import type { Usage } from './usage.ts'

/** Maximum length of one tool call's arguments, in UTF-16 code units. */
const MAX_ARGUMENTS = 8 * 1024 * 1024
/** Maximum number of blocks that are open at the same time. */
const MAX_OPEN = 1024

/** Observations of a stream that is translated. */
export interface StreamObservations {
  usage?: Usage
  finish?: Finish
  model?: string
  id?: string
  /** Error that ended the stream. */
  error?: HeadgateError
  /** True after a part that commits the response. */
  content: boolean
  /** Number of finished choices. */
  finished: number
}

/** Observes the parts of a stream: records data for accounting, and enforces limits. */
export function observe(seen: StreamObservations, textSample: TextSample = createTextSample()): (part: Part) => void {
  const open = new Map<string, number>()
  return (part) => {
    switch (part.type) {
      case 'start':
        if (part.model !== undefined) seen.model = part.model
        if (part.id !== undefined) seen.id = part.id
        seen.content = true
        break
      case 'block-start':
        if (open.size >= MAX_OPEN)
          throw new HeadgateError('upstream', `The upstream opened more than ${MAX_OPEN} blocks at the same time.`)
        open.set(`${part.choice ?? 0}/${part.index}`, 'arguments' in part.block ? part.block.arguments.length : 0)
        seen.content = true
        if ('text' in part.block) addText(textSample, part.block.text ?? '')
        if ('arguments' in part.block) addText(textSample, part.block.arguments)
        break
      case 'block-delta': {
        if (part.delta.text !== undefined) addText(textSample, part.delta.text)
        if (part.delta.arguments === undefined) break
        const key = `${part.choice ?? 0}/${part.index}`
        const size = (open.get(key) ?? 0) + part.delta.arguments.length
        if (size > MAX_ARGUMENTS)
          throw new HeadgateError('upstream', 'The upstream sent tool arguments of more than 8 MB.')
        open.set(key, size)
        addText(textSample, part.delta.arguments)
        break
      }
      case 'block-end':
        open.delete(`${part.choice ?? 0}/${part.index}`)
        break
      case 'usage':
        seen.usage = part.usage
        break
      case 'finish':
        seen.finish = part.finish
        seen.finished++
        seen.content = true
        break
      case 'error':
        seen.error = failure(part.error)
        break
    }
  }
}

/** Synchronous translation of a stream: frames in, wire text out. */
export interface StreamTranslation {
  readonly seen: StreamObservations
  readonly textSample: TextSample
  /** True once the upstream has sent its finish reason. */
  readonly finishing: boolean
  /** Returns output for the frames of a network chunk. Can be empty. Stops at an error, see `seen`. */
  push(frames: readonly Frame[]): string
  /** Returns the remaining output after the upstream's last byte. */
  end(): string
  /** Returns the last frames of the caller's stream for an error. */
  fail(error: HeadgateError): string
}

/** Creates a function that restores, observes and writes parts. */
export function partWriter(
  writer: StreamWriter,
  restore: Restore | undefined,
  seen: StreamObservations,
  textSample?: TextSample,
): (parts: readonly Part[]) => string {
  const note = observe(seen, textSample)
  const restored = restore && restoreParts(restore)
  return (parts) => {
    let out = ''
    for (const part of parts) {
      note(part)
      if (seen.error) break
      if (!restored) out += writer.push(part)
      else for (const restoredPart of restored(part)) out += writer.push(restoredPart)
    }
    return out
  }
}

/** Last frames for an error, after the output of `writer`. */
export function failedStream(to: Format, writer: StreamWriter, reply: Reply, error: HeadgateError): string {
  return writer.fail?.(error) ?? to.writeStreamError(error, reply.id, reply.framing)
}

/** Creates the translation of a stream. */
export function translateFrames(
  from: Codec,
  to: Format,
  reply: Reply,
  losses: Loss[],
  options: { origin?: Origin; restore?: Restore | undefined } = {},
): StreamTranslation {
  const reader = from.readStream(options.origin)
  const writer = to.writeStream(reply, losses)
  const seen: StreamObservations = { content: false, finished: 0 }
  const textSample = createTextSample()
  const write = partWriter(writer, options.restore, seen, textSample)
  return {
    seen,
    textSample,
    get finishing() {
      return reader.finishing ?? seen.finished > 0
    },
    push(frames) {
      let out = ''
      for (const frame of frames) {
        if (seen.error) break
        out += write(reader.push(frame))
      }
      return out
    },
    end() {
      if (seen.error) return ''
      const out = write(reader.end())
      return seen.error ? out : out + writer.end()
    },
    fail: (error) => failedStream(to, writer, reply, error),
  }
}
