import type { Frame, Heard, Loss, Tally, Watch } from '@headgate/core/canonical'
import {
  arrayWriter,
  BROKEN,
  codeIn,
  isObject,
  parse,
  parseExact,
  type Seen,
  text,
  translateFrames,
  upstreamErrorOf,
} from '@headgate/core/canonical'
import type { Call, ChatSupport } from '@headgate/core/contract'
import { HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { readFrames, splitFrames, writeFrame } from '@headgate/core/formats'
import { textOf } from '../../http/framing.ts'
import { scrubFrame } from '../../http/scrub.ts'
import type { Ask } from './ask.ts'
import type { RemotePlan } from './plan.ts'
import { createSample } from './sample.ts'
import { replyOf } from './unary.ts'

/** Takes the whole frames of an upstream's stream and gives what the caller gets of them. Synchronous. */
export interface Relay {
  /** `piece` ends at a frame boundary. Throws HeadgateError when it can not be read. */
  push(piece: Uint8Array): Uint8Array | string
  /** The rest, after the upstream's last byte. */
  end(): string
  readonly state: RelayState
  /** The error as the last frames of the caller's stream. */
  fail(error: HeadgateError): string
  /** Whether the upstream has given its reason to end: what still comes is usage. */
  finishing(): boolean
  /** What the answer has said so far. */
  heard(): Heard
  /** Memory that the translation may hold, in bytes: some formats repeat the whole text at the end. */
  held(): number
}

export interface RelayState {
  /** Something has passed that commits the answer. */
  content: boolean
  /** All that a complete stream says has been said: if the upstream ends now, nothing was cut. */
  complete: boolean
  /** The upstream has said that nothing more comes, or nothing but usage. */
  ended: boolean
  /** The upstream's in-band failure. */
  error: UpstreamError | undefined
  /** The failure has gone to the caller as the upstream put it. */
  told: boolean
  /** Of a stream that has failed, the frame behind the last one may still come. */
  closing: boolean
  readonly tally: Tally
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

function latin1(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1')
}

/** An in-band error with the code that its frame has. */
function withCode(error: UpstreamError | undefined, frame: Frame | undefined): UpstreamError | undefined {
  const code = error && frame && codeIn(frame.data)
  return error && code !== undefined ? { ...error, code } : error
}

/** Notes what the watch makes of a frame. */
function note(state: RelayState, watch: Watch, frame: Frame): void {
  const kind = watch.push(frame)
  if (kind === 'content') state.content = true
  if (kind === 'end') {
    state.content = true
    state.ended = true
  }
  state.complete ||= kind === 'end' || watch.complete
  if (kind === 'error') state.error = withCode(watch.error, frame)
}

function stateOf(source: { readonly tally: Tally }): RelayState {
  return {
    content: false,
    complete: false,
    ended: false,
    error: undefined,
    told: false,
    closing: false,
    get tally() {
      return source.tally
    },
  }
}

/**
 * Whether every client takes a frame for a failure. What else says so, the name of an event or no JSON at all, some
 * read as content.
 */
function isTold(frame: Frame): boolean {
  const value = parse(frame.data)
  return isObject(value) && Boolean(value['error'])
}

/** The error after the frame `last`. */
function failed(
  { format, context, framing }: Ask,
  watch: Watch,
  error: HeadgateError,
  last: Frame | undefined,
): string {
  return watch.fail?.(error, context.id, last) ?? format.writeStreamError(error, context.id, framing)
}

/** The upstream's bytes, frame by whole frame; only frames that the caller did not ask for are left out. */
export function passingRelay(ask: Ask, remote: RemotePlan, clean: (text: string) => string): Relay {
  const watch = ask.format.watch()
  const { notable, done } = ask.format
  const state = stateOf(watch)
  const sample = createSample()
  /** Bytes that have passed last. */
  let last: Uint8Array | undefined
  const isDone = (frame: Frame | undefined): boolean => frame !== undefined && frame.data.trim() === done
  /** Of what comes behind a failure, the end alone. */
  const afterFailure = (frames: readonly Uint8Array[]): Uint8Array[] => {
    const end = frames.find((bytes) => isDone(readFrames(textOf(bytes))[0]))
    state.ended ||= end !== undefined
    return end ? [end] : []
  }
  return {
    state,
    finishing: () => watch.complete || watch.tally.finish !== undefined,
    fail: (error) => failed(ask, watch, error, last && readFrames(textOf(last)).at(-1)),
    heard: () => sample.heard(remote.framing, (frame) => frame, remote.format.readStream()),
    held: () => 0,
    push(piece) {
      if (state.error) return Buffer.concat(afterFailure(splitFrames(piece)))
      sample.add(piece)
      if (state.content && !notable.test(latin1(piece))) {
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
            had &&= isTold(frame)
            state.told = had
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

function asItIs(frame: Frame): Frame {
  return frame
}

/**
 * From the frames of the transport to those of the format; undefined skips one. The name of an event that the transport
 * did not bring is its `type`.
 */
export function patches({ framing = 'sse', patchFrame }: ChatSupport, call: Call): (frame: Frame) => Frame | undefined {
  if (framing === 'sse' && !patchFrame) return asItIs
  return (frame) => {
    const json = parseExact(frame.data, '')
    if (!isObject(json)) return frame
    const patched = patchFrame ? patchFrame({ ...frame, json }, call) : json
    if (patched === undefined) return undefined
    const data = patched === json ? frame.data : JSON.stringify(patched)
    const type = text(patched['type'])
    const isOther = type !== undefined && type !== text(json['type'])
    // An event without a name is a `message`, and callers' formats do not name it so.
    const name = frame.event === 'message' ? undefined : frame.event
    const event = isOther || (name === undefined && framing !== 'sse') ? type : name
    return event === undefined ? { data } : { event, data }
  }
}

/** Frames as the caller's framing has them. */
function frameWriter(framing: Ask['framing']): { write(frame: Frame): string; end(): string } {
  if (framing === 'sse') return { write: writeFrame, end: () => '' }
  const array = arrayWriter()
  return { write: (frame) => array.element(frame.data), end: array.end }
}

/** The same format, but not the same bytes: frames that are unwrapped or patched, or framed otherwise. */
export function patchedRelay(ask: Ask, remote: RemotePlan): Relay {
  const watch = ask.format.watch()
  const writer = frameWriter(ask.framing)
  const patch = patches(remote.support, remote.call)
  const isArray = ask.framing === 'json-array'
  const { done } = ask.format
  const state = stateOf(watch)
  const sample = createSample()
  let last: Frame | undefined
  return {
    state,
    fail: (error) => failed(ask, watch, error, last),
    finishing: () => watch.complete || watch.tally.finish !== undefined,
    heard: () => sample.heard(remote.framing, patch, remote.format.readStream()),
    held: () => 0,
    push(piece) {
      sample.add(piece)
      let out = ''
      for (const raw of remote.framing.read(piece)) {
        const frame = patch(raw)
        if (!frame) continue
        if (isArray && parse(frame.data) === undefined) {
          // Between the elements of an array nothing can stand that is no JSON; what ends a stream or keeps it alive is
          // left out.
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
    // A failure is written into an array that is still open. What ends a stream is said where the upstream has left it
    // out.
    end() {
      if (state.error) return ''
      return !isArray && state.complete && !state.ended && done !== undefined
        ? writer.write({ data: done })
        : writer.end()
    },
  }
}

/** What accounting needs of a stream that was translated. */
export function tallyOfSeen({ usage, finish, model, id }: Seen): Tally {
  return {
    ...(usage && { usage }),
    ...(finish && { finish }),
    ...(model !== undefined && { model }),
    ...(id !== undefined && { id }),
  }
}

/** Another format: every frame is read and written anew. */
export function translatingRelay(ask: Ask, remote: RemotePlan, losses: Loss[]): Relay {
  const signer = remote.target.signer
  const reply = replyOf(ask, remote)
  const choices = reply.request.n ?? 1
  const patch = patches(remote.support, remote.call)
  const isPatched = patch !== asItIs
  const translation = translateFrames(remote.format, ask.format, reply, losses, {
    origin: signer === undefined ? {} : { signer },
    restore: remote.restore,
  })
  const { seen } = translation
  const tallied = {
    get tally() {
      return tallyOfSeen(seen)
    },
  }
  const state = stateOf(tallied)
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
    heard: () => translation.heard,
    held: () => translation.heard.length,
    push(piece) {
      const frames = remote.framing.read(piece)
      return after(translation.push(isPatched ? frames.flatMap((frame) => patch(frame) ?? []) : frames), frames)
    },
    end: () => after(translation.end()),
  }
}

/** Which relay a plan needs. */
export function relayFor(ask: Ask, remote: RemotePlan, losses: Loss[], clean: (text: string) => string): Relay {
  if (!remote.native) return translatingRelay(ask, remote, losses)
  const { support } = remote
  if (support.patchFrame || (support.framing ?? 'sse') !== 'sse' || ask.framing !== 'sse')
    return patchedRelay(ask, remote)
  return passingRelay(ask, remote, clean)
}

/** An upstream's broken stream as an error. */
export function brokenStream(cause: unknown): HeadgateError {
  return HeadgateError.is(cause)
    ? cause
    : new HeadgateError('upstream', 'The provider sent a stream that can not be read.', { cause })
}
