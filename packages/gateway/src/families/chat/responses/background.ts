import type { BackgroundResponses, Json } from '@headgate/core/canonical'
import { asError, HeadgateError } from '@headgate/core/errors'
import type { Sink } from '../../../edge/sink.ts'
import { stopContext } from '../../../edge/stop.ts'
import type { Principal } from '../../../ports/ledger.ts'
import type { StoredResponse } from '../../../ports/responses.ts'
import { type Context, sendHead } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'
import type { ResponseContent } from '../../../serve/responses/responses.ts'
import type { ChatCall, StorageSlot } from '../chat-call.ts'
import { replyOf } from '../unary.ts'
import { requestCancellation, watchCancellation } from './cancellation.ts'
import type { ConversationState } from './conversation-state.ts'
import { createRecording, type Recording } from './recording.ts'

/** Heartbeat interval of a background response, and the time after which it counts as failed, in milliseconds. */
const BEAT_MS = 15_000
const ALIVE_MS = 3 * BEAT_MS

/** Headers of a stream. */
export const STREAMED = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Sink of a background response, which discards all output. */
const NOWHERE: Sink = {
  head() {},
  write: () => true,
  onDrain() {},
  end() {},
  unsent: () => 0,
  onSettled() {},
  destroy() {},
  onClose() {},
}

/** A background response in this process. */
export interface BackgroundRun {
  readonly context: Context
  /** Present for streams. */
  readonly recording?: Recording
}

/** Background responses of this process by id. */
export type BackgroundRuns = Map<string, BackgroundRun>

/**
 * Responds immediately with a queued response, then completes it in the background. Until it ends it is an ordinary
 * request of this process for accounting, limits and shutdown. Never rejects after the caller has its response.
 */
export async function serveInBackground(
  core: Core,
  runs: BackgroundRuns,
  chat: ChatCall,
  made: BackgroundResponses,
  run: () => Promise<void>,
): Promise<void> {
  const { context, state, slot } = chat
  if (!state || !slot) return run()
  if (chat.stream) return streamInBackground(core, runs, chat, { state, slot }, made, run)
  const open = made.queued(replyOf(chat))
  await storeBackgroundResponse(core, { context, state, slot }, open, { aliveUntil: Date.now() + ALIVE_MS })
  const body = Buffer.from(JSON.stringify(open))
  sendHead(context, 200, { 'content-type': 'application/json', 'content-length': String(body.length) })
  context.sink.end(body)
  context.sink = NOWHERE
  runs.set(slot.id, { context })
  const beat = setInterval(
    () => void storeBackgroundResponse(core, { context, state, slot }, open, { aliveUntil: Date.now() + ALIVE_MS }),
    BEAT_MS,
  )
  beat.unref()
  const unwatch = watchCancellation(core, context.principal, slot.id, () => stopContext(context, canceled()))
  try {
    await run()
  } catch (error) {
    await storeBackgroundResponse(core, { context, state, slot }, made.ended(open, asError(error)))
  } finally {
    clearInterval(beat)
    unwatch()
    runs.delete(slot.id)
  }
}

/**
 * Maximum characters of a stream's events, as a multiple of the response limit. Events repeat the response's content.
 */
const EVENTS = 4
/** Maximum characters of events to store with a response. */
const MAX_STORED_EVENTS = 8 * 1024 * 1024

/**
 * Streams a response that continues when its caller leaves. Its events are stored, so that callers can resume from any
 * number. The last events are sent after the response is stored. Never rejects after the caller has the head.
 */
async function streamInBackground(
  core: Core,
  runs: BackgroundRuns,
  chat: ChatCall,
  { state, slot }: { state: ConversationState; slot: StorageSlot },
  made: BackgroundResponses,
  run: () => Promise<void>,
): Promise<void> {
  const { context } = chat
  const open = made.queued(replyOf(chat))
  const most = core.limits.answer * EVENTS
  const recording = createRecording((size) => {
    if (size > most)
      stopContext(context, new HeadgateError('upstream', `The events of the response exceed ${most} characters.`))
  })
  const alive = (): Promise<void> =>
    storeBackgroundResponse(core, { context, state, slot }, open, { aliveUntil: Date.now() + ALIVE_MS, events: '' })
  await alive()
  const caller = context.sink
  sendHead(context, 200, { ...STREAMED })
  recording.add(made.announced(open))
  slot.announced = recording.count()
  context.sink = recording.sink
  const ping = setInterval(() => caller.write(chat.format.ping), core.times.ping)
  caller.onClose(recording.read(caller, -1, () => clearInterval(ping)))
  runs.set(slot.id, { context, recording })
  const beat = setInterval(() => void alive(), BEAT_MS)
  beat.unref()
  const unwatch = watchCancellation(core, context.principal, slot.id, () => stopContext(context, canceled()))
  try {
    await run()
  } catch (cause) {
    const error = asError(cause)
    slot.answer ??= made.ended(open, error)
    recording.add(made.failed(open, error, recording.count()))
  } finally {
    clearInterval(beat)
    unwatch()
    const events = recording.text()
    await storeBackgroundResponse(
      core,
      { context, state, slot },
      slot.answer ?? open,
      events.length > MAX_STORED_EVENTS ? {} : { events },
    )
    runs.delete(slot.id)
    recording.finish()
  }
}

function storeBackgroundResponse(
  core: Core,
  { context, state, slot }: { context: Context; state: ConversationState; slot: StorageSlot },
  answer: Json,
  more: Pick<ResponseContent, 'aliveUntil' | 'events'> = {},
): Promise<void> {
  const kept = { input: state.asked(), answer, ...more }
  return core.storedResponses.add(
    context.principal,
    { id: slot.id, model: String(answer['model']), items: state.names(answer) },
    kept,
  )
}

/** Current state of a stored response. It is failed if its process has ended. */
export function currentState({ answer, aliveUntil }: ResponseContent, made: BackgroundResponses): Json {
  if (!made.isOpen(answer) || (aliveUntil ?? 0) > Date.now()) return answer
  return made.ended(answer, new HeadgateError('internal', 'The process that created this response has ended.'))
}

/** Cancels a background response in this or another process. Resolves with its final state. */
export async function cancelBackgroundResponse(
  core: Core,
  runs: BackgroundRuns,
  principal: Principal,
  own: StoredResponse,
  kept: ResponseContent,
  made: BackgroundResponses,
): Promise<Json> {
  const { id } = own
  const { answer } = kept
  if (answer['background'] !== true)
    throw new HeadgateError(
      'invalid-request',
      `The response ${id} was not created in the background, so it cannot be canceled.`,
      {
        param: 'id',
      },
    )
  const now = currentState(kept, made)
  if (!made.isOpen(now)) return now
  const context = runs.get(id)?.context
  if (!context) {
    const ended = await requestCancellation(core, principal, own, async () => {
      const found = (await core.storedResponses.find(principal, [id])).get(id)
      const read = found && core.storedResponses.read(found)
      const state = read && currentState(read, made)
      return state && !made.isOpen(state) ? state : undefined
    })
    if (ended) return ended
    throw new HeadgateError(
      'conflict',
      `Another process of the gateway creates the response ${id} and has not canceled it yet. Try again.`,
    )
  }
  const error = canceled()
  stopContext(context, error)
  return made.ended(answer, error)
}

function canceled(): HeadgateError {
  return new HeadgateError('canceled', 'The caller canceled the response.')
}
