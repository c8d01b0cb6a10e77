import type { Frame, Loss, ResponseSummary, TextSample, UsageReader } from '@headgate/core/canonical'
import {
  arrayWriter,
  BROKEN,
  codeIn,
  isObject,
  parse,
  parseExact,
  type StreamObservations,
  text,
  translateFrames,
  upstreamErrorOf,
} from '@headgate/core/canonical'
import type { Call, ChatSupport } from '@headgate/core/contract'
import { HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { readFrames, splitFrames, writeFrame } from '@headgate/core/formats'
import { textOf } from '../../http/framing.ts'
import { scrubFrame } from '../../http/scrub.ts'
import type { ChatCall } from './chat-call.ts'
import type { RemotePlan } from './plan.ts'
import { createSample } from './sample.ts'
import { replyOf } from './unary.ts'

/** Converts complete frames of an upstream's stream to the caller's stream. Synchronous. */
export interface Relay {
  /** `piece` must end at a frame boundary. @throws HeadgateError if it cannot be read. */
  push(piece: Uint8Array): Uint8Array | string
  /** Remaining output after the upstream's last byte. */
  end(): string
  readonly state: RelayState
  /** The error as the last frames of the caller's stream. */
  fail(error: HeadgateError): string
  /** True after the upstream's finish reason. Only usage can follow. */
  finishing(): boolean
  /** Text sample of the response so far. */
  textSample(): TextSample
  /** Memory of the translation in bytes. Some formats repeat the complete text at the end. */
  held(): number
}

export interface RelayState {
  /** True after content that commits the response. */
  content: boolean
  /** True after all parts of a complete stream. If the upstream ends now, nothing is missing. */
  complete: boolean
  /** True after the upstream's end marker. Only usage can follow. */
  ended: boolean
  /** The upstream's in-band error. */
  error: UpstreamError | undefined
  /** True if the upstream's error frame was forwarded to the caller. */
  forwarded: boolean
  /** True if the end marker may still follow the upstream's error. */
  closing: boolean
  readonly summary: ResponseSummary
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

function latin1(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1')
}

/** An in-band error with the code in its frame. */
function withCode(error: UpstreamError | undefined, frame: Frame | undefined): UpstreamError | undefined {
  const code = error && frame && codeIn(frame.data)
  return error && code !== undefined ? { ...error, code } : error
}

/** Updates the state from a frame. */
function note(state: RelayState, watch: UsageReader, frame: Frame): void {
  const kind = watch.push(frame)
  if (kind === 'content') state.content = true
  if (kind === 'end') {
    state.content = true
    state.ended = true
  }
  state.complete ||= kind === 'end' || watch.complete
  if (kind === 'error') state.error = withCode(watch.error, frame)
}

function stateOf(source: { readonly summary: ResponseSummary }): RelayState {
  return {
    content: false,
    complete: false,
    ended: false,
    error: undefined,
    forwarded: false,
    closing: false,
    get summary() {
      return source.summary
    },
  }
}

/**
 * True if every client recognizes the frame as an error. Some clients read other error frames as content: those with
 * only an event name, or without JSON.
 */
function isClearError(frame: Frame): boolean {
  const value = parse(frame.data)
  return isObject(value) && Boolean(value['error'])
}

/** Writes the error after the frame `last`. */
function failed(
  { format, context, framing }: ChatCall,
  watch: UsageReader,
  error: HeadgateError,
  last: Frame | undefined,
): string {
  return watch.fail?.(error, context.id, last) ?? format.writeStreamError(error, context.id, framing)
}

/** Relay of unchanged bytes in complete frames. It leaves out only frames that the caller did not request. */
export function bypassRelay(chat: ChatCall, remote: RemotePlan, clean: (text: string) => string): Relay {
  const watch = chat.format.usageReader()
  const { relevantFrames, done } = chat.format
  const state = stateOf(watch)
  const sample = createSample()
  /** Last forwarded bytes. */
  let last: Uint8Array | undefined
  const isDone = (frame: Frame | undefined): boolean => frame !== undefined && frame.data.trim() === done
  /** After an error, only the end marker is forwarded. */
  const afterFailure = (frames: readonly Uint8Array[]): Uint8Array[] => {
    const end = frames.find((bytes) => isDone(readFrames(textOf(bytes))[0]))
    state.ended ||= end !== undefined
    return end ? [end] : []
  }
  return {
    state,
    finishing: () => watch.complete || watch.summary.finish !== undefined,
    fail: (error) => failed(chat, watch, error, last && readFrames(textOf(last)).at(-1)),
    textSample: () => sample.estimate(remote.framing, (frame) => frame, remote.format.readStream()),
    held: () => 0,
    push(piece) {
      if (state.error) return Buffer.concat(afterFailure(splitFrames(piece)))
      sample.add(piece)
      if (state.content && !relevantFrames.test(latin1(piece))) {
        last = piece
        return piece
      }
      const passing: Uint8Array[] = []
      let same = true
      const frames = splitFrames(piece)
      for (const [index, bytes] of frames.entries()) {
        const text = textOf(bytes)
        const frame = readFrames(text)[0]
        if (frame) {
          let had = state.content
          note(state, watch, frame)
          if (state.error) {
            same = false
            had &&= isClearError(frame)
            state.forwarded = had
            state.closing = had && done !== undefined
            if (had) passing.push(scrubFrame(bytes, text, frame, clean), ...afterFailure(frames.slice(index + 1)))
            break
          }
          if (remote.hides?.(frame)) {
            same = false
            continue
          }
        }
        passing.push(bytes)
        last = bytes
      }
      return same ? piece : concat(passing)
    },
    end: () => '',
  }
}

function unchangedFrame(frame: Frame): Frame {
  return frame
}

/**
 * Converts transport frames to frames of the format; undefined skips a frame. If the transport has no event name, the
 * frame's `type` is the name.
 */
export function patches({ framing = 'sse', patchFrame }: ChatSupport, call: Call): (frame: Frame) => Frame | undefined {
  if (framing === 'sse' && !patchFrame) return unchangedFrame
  return (frame) => {
    const json = parseExact(frame.data, '')
    if (!isObject(json)) return frame
    const patched = patchFrame ? patchFrame({ ...frame, json }, call) : json
    if (patched === undefined) return undefined
    const data = patched === json ? frame.data : JSON.stringify(patched)
    const type = text(patched['type'])
    const isOther = type !== undefined && type !== text(json['type'])
    // An unnamed event is a `message`, but callers' formats have no such name.
    const name = frame.event === 'message' ? undefined : frame.event
    const event = isOther || (name === undefined && framing !== 'sse') ? type : name
    return event === undefined ? { data } : { event, data }
  }
}

/** Frame writer for the caller's framing. */
function frameWriter(framing: ChatCall['framing']): { write(frame: Frame): string; end(): string } {
  if (framing === 'sse') return { write: writeFrame, end: () => '' }
  const array = arrayWriter()
  return { write: (frame) => array.element(frame.data), end: array.end }
}

/** Relay of one format whose bytes change: frames are unwrapped, patched or framed differently. */
export function patchedRelay(chat: ChatCall, remote: RemotePlan): Relay {
  const watch = chat.format.usageReader()
  const writer = frameWriter(chat.framing)
  const patch = patches(remote.support, remote.call)
  const isArray = chat.framing === 'json-array'
  const { done } = chat.format
  const state = stateOf(watch)
  const sample = createSample()
  let last: Frame | undefined
  return {
    state,
    fail: (error) => failed(chat, watch, error, last),
    finishing: () => watch.complete || watch.summary.finish !== undefined,
    textSample: () => sample.estimate(remote.framing, patch, remote.format.readStream()),
    held: () => 0,
    push(piece) {
      sample.add(piece)
      let out = ''
      for (const raw of remote.framing.read(piece)) {
        const frame = patch(raw)
        if (!frame) continue
        if (isArray && parse(frame.data) === undefined) {
          // An array can contain only JSON, so end markers and keep-alives are left out.
          if (frame.data.trim() !== '' && !frame.data.startsWith('[DONE]')) state.error = BROKEN
          if (state.error) break
          continue
        }
        note(state, watch, frame)
        if (state.error) break
        if (remote.hides?.(frame)) continue
        last = frame
        out += writer.write(frame)
      }
      return out
    },
    // An error is written into the array while it is open. If the upstream omitted the end marker, it is added.
    end() {
      if (state.error) return ''
      return !isArray && state.complete && !state.ended && done !== undefined
        ? writer.write({ data: done })
        : writer.end()
    },
  }
}

/** Accounting facts of a translated stream. */
export function summaryOfSeen({ usage, finish, model, id }: StreamObservations): ResponseSummary {
  return {
    ...(usage && { usage }),
    ...(finish && { finish }),
    ...(model !== undefined && { model }),
    ...(id !== undefined && { id }),
  }
}

/** Relay between two formats. It parses and rewrites every frame. */
export function translatingRelay(chat: ChatCall, remote: RemotePlan, losses: Loss[]): Relay {
  const signer = remote.target.signer
  const reply = replyOf(chat, remote)
  const choices = reply.request.n ?? 1
  const patch = patches(remote.support, remote.call)
  const isPatched = patch !== unchangedFrame
  const translation = translateFrames(remote.format, chat.format, reply, losses, {
    origin: signer === undefined ? {} : { signer },
    restore: remote.restore,
  })
  const { seen } = translation
  const source = {
    get summary() {
      return summaryOfSeen(seen)
    },
  }
  const state = stateOf(source)
  const after = (text: string, frames: readonly Frame[] = []): string => {
    state.content = seen.content
    state.complete = seen.finished >= choices
    state.ended = state.complete
    if (seen.error)
      state.error ??= withCode(
        upstreamErrorOf(seen.error),
        frames.find(({ data }) => data.includes('error')),
      )
    return text
  }
  return {
    state,
    finishing: () => state.complete || translation.finishing,
    fail: translation.fail,
    textSample: () => translation.textSample,
    held: () => translation.textSample.length,
    push(piece) {
      const frames = remote.framing.read(piece)
      return after(translation.push(isPatched ? frames.flatMap((frame) => patch(frame) ?? []) : frames), frames)
    },
    end: () => after(translation.end()),
  }
}

/** The relay for a plan. */
export function relayFor(chat: ChatCall, remote: RemotePlan, losses: Loss[], clean: (text: string) => string): Relay {
  if (!remote.native) return translatingRelay(chat, remote, losses)
  const { support } = remote
  if (support.patchFrame || (support.framing ?? 'sse') !== 'sse' || chat.framing !== 'sse')
    return patchedRelay(chat, remote)
  return bypassRelay(chat, remote, clean)
}

/** The error for a stream that cannot be parsed. */
export function brokenStream(cause: unknown): HeadgateError {
  return HeadgateError.is(cause)
    ? cause
    : new HeadgateError('upstream', 'The provider sent an invalid stream.', { cause })
}
