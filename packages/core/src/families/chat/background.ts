import type { BackgroundAnswers } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import type { KeptAnswer } from '../../contract/answers.ts'
import type { Sink } from '../../edge/sink.ts'
import { asError, HeadgateError } from '../../errors.ts'
import type { Kept } from '../../pipeline/answers/answers.ts'
import { answerHead, type Context, stopContext } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import type { Ask, KeptSlot } from './ask.ts'
import type { State } from './state.ts'
import { replyOf } from './unary.ts'

/** How often a process says that it still works on an answer, and how long that holds, in milliseconds. */
const BEAT_MS = 15_000
const ALIVE_MS = 3 * BEAT_MS

/** Nobody reads what goes there. */
const NOWHERE: Sink = { head() {}, write: () => true, onDrain() {}, end() {}, unsent: () => 0, onSettled() {}, destroy() {}, onClose() {} }

/** What is made in this process while nobody waits for it, by the id of its answer. */
const running = new WeakMap<Core, Map<string, Context>>()

function runningOf(core: Core): Map<string, Context> {
  const own = running.get(core) ?? new Map<string, Context>()
  running.set(core, own)
  return own
}

/**
 * Answers at once with an answer that is still to be made, and makes it. It is a request of this process until it ends: accounted for,
 * limited and waited for as others are. Never rejects once the caller has its answer.
 */
export async function serveInBackground(core: Core, ask: Ask, made: BackgroundAnswers, run: () => Promise<void>): Promise<void> {
  const { context, state, kept: slot } = ask
  if (!state || !slot) return run()
  const open = made.queued(replyOf(ask))
  await keep(core, { context, state, slot }, open, Date.now() + ALIVE_MS)
  const body = Buffer.from(JSON.stringify(open))
  answerHead(context, 200, { 'content-type': 'application/json', 'content-length': String(body.length) })
  context.sink.end(body)
  context.sink = NOWHERE
  const all = runningOf(core)
  all.set(slot.id, context)
  const beat = setInterval(() => void keep(core, { context, state, slot }, open, Date.now() + ALIVE_MS), BEAT_MS)
  beat.unref()
  try {
    await run()
  } catch (error) {
    await keep(core, { context, state, slot }, made.ended(open, asError(error)))
  } finally {
    clearInterval(beat)
    all.delete(slot.id)
  }
}

function keep(
  core: Core,
  { context, state, slot }: { context: Context; state: State; slot: KeptSlot },
  answer: Json,
  aliveUntil?: number,
): Promise<void> {
  const kept = { input: state.asked(), answer, ...(aliveUntil !== undefined && { aliveUntil }) }
  return core.answers.keep(context.principal, { id: slot.id, model: String(answer['model']), items: state.names(answer) }, kept)
}

/** An answer as it is now: of a process that is gone it has failed. */
export function asItIs({ answer, aliveUntil }: Kept, made: BackgroundAnswers): Json {
  if (!made.isOpen(answer) || (aliveUntil ?? 0) > Date.now()) return answer
  return made.ended(answer, new HeadgateError('internal', 'The process that made this answer has ended.'))
}

/** Ends what is made in the background. Resolves with what has become of it. */
export async function cancel(core: Core, { id }: KeptAnswer, kept: Kept, made: BackgroundAnswers): Promise<Json> {
  const { answer } = kept
  if (answer['background'] !== true)
    throw new HeadgateError('invalid-request', `The answer ${id} was not made in the background: nothing can be cancelled.`, {
      param: 'id',
    })
  const now = asItIs(kept, made)
  if (!made.isOpen(now)) return now
  const context = runningOf(core).get(id)
  if (!context)
    throw new HeadgateError('conflict', `The answer ${id} is made by another process of the gateway, which alone can cancel it. Try again.`)
  const error = new HeadgateError('cancelled', 'The caller has cancelled the answer.')
  stopContext(context, error)
  return made.ended(answer, error)
}
