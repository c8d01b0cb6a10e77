import type { Loss, Part } from '@headgate/core/canonical'
import { assemble, createTextSample, failedStream, partWriter, type StreamObservations } from '@headgate/core/canonical'
import type { ChatInProcess } from '@headgate/core/contract'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { isRejection, STARTED } from '../../cost/charge.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { attemptLocal, type RunningAttempt } from '../../serve/attempt.ts'
import type { Core } from '../../serve/core.ts'
import { checkStrict, lossCollector } from '../../serve/losses.ts'
import { openCallerStream } from './caller-stream.ts'
import type { ChatCall } from './chat-call.ts'
import { type ChatPlan, limitedTo } from './plan.ts'
import { summaryOfSeen } from './relay.ts'
import { type ChatResult, settle } from './settle.ts'
import { replyOf, sendWhole, usedBy, wholeOf } from './unary.ts'

/** An error of in-process code, with the provider's name. */
function failed(plan: ChatPlan, error: unknown): HeadgateError {
  const { name } = plan.candidate.instance
  if (!HeadgateError.is(error))
    return new HeadgateError('upstream', `${name}: the in-process provider failed.`, { cause: error })
  return reworded(error, `${name}: ${error.message}`)
}

const silent = (): HeadgateError => new HeadgateError('upstream', 'it ended without output.')
const cut = (): HeadgateError => new HeadgateError('upstream', 'it ended before it finished.')

/** Runs the provider. Losses that it declares are added to the plan's losses. */
function partsOf(
  chat: ChatCall,
  { candidate, losses, given }: ChatPlan,
  support: ChatInProcess,
  signal: AbortSignal,
): AsyncIterable<Part> {
  const { model, facts } = candidate
  return support.run({ ...limitedTo(chat, given.output), model }, signal, {
    model,
    stream: chat.stream,
    headers: {},
    facts,
    lose: lossCollector(losses),
  })
}

/** Checks strict mode again before any output, since in-process providers declare losses while they run. */
function refusalOf({ context }: ChatCall, { candidate, losses }: ChatPlan): HeadgateError | undefined {
  try {
    checkStrict(context, losses, `Provider ${candidate.instance.name}`)
  } catch (error) {
    return asError(error)
  }
  return undefined
}

async function runWhole(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  support: ChatInProcess,
  attempt: RunningAttempt,
  signal: AbortSignal,
): Promise<void> {
  const parts: Part[] = []
  for await (const part of partsOf(chat, plan, support, signal)) {
    if (attempt.isOver()) return
    parts.push(part)
  }
  if (parts.length === 0) throw silent()
  const response = assemble(parts)
  const refusal = refusalOf(chat, plan)
  if (refusal) {
    attempt.used = usedBy(core, chat, plan, response.usage)
    return attempt.done(refusal)
  }
  if (!attempt.isOver()) sendWhole(core, chat, plan, attempt, wholeOf(response, chat), {})
}

async function runStream(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  support: ChatInProcess,
  attempt: RunningAttempt,
  signal: AbortSignal,
): Promise<void> {
  const losses: Loss[] = []
  const seen: StreamObservations = { content: false, finished: 0 }
  const sample = createTextSample()
  const reply = replyOf(chat)
  const choices = reply.request.n ?? 1
  const writer = chat.format.writeStream(reply, losses)
  const write = partWriter(writer, undefined, seen, sample)
  const caller = openCallerStream(core, chat, plan, attempt, {
    pings: true,
    losses,
    failure: (error) => failedStream(chat.format, writer, reply, error),
  })
  const uncounted = (): Pick<ChatResult, 'summary' | 'textSample'> => {
    const summary = summaryOfSeen(seen)
    return { summary, textSample: summary.usage && seen.finished > 0 ? undefined : () => sample }
  }
  const fail = (cause: unknown): void => {
    const error = failed(plan, cause)
    attempt.refused = isRejection(cause)
    caller.close()
    if (!caller.committed) attempt.done(error)
    else if (error.kind === 'canceled')
      attempt.done(error, () => settle(core, chat, plan, { status: 499, why: 'canceled', losses, ...uncounted() }))
    else caller.fail(error, { status: 200, why: 'cut', failure: error.kind, ...uncounted() }, false)
  }
  attempt.onStop(fail)
  let room: PromiseWithResolvers<void> | undefined
  attempt.call = {
    sent: STARTED.sent,
    pause: () => {
      room ??= Promise.withResolvers<void>()
    },
    resume: () => room?.resolve(),
    abort: () => room?.resolve(),
  }
  try {
    for await (const part of partsOf(chat, plan, support, signal)) {
      if (attempt.isOver()) return
      const text = write([part])
      caller.hold ||= seen.finished >= choices
      caller.write(text)
      if (seen.error) return fail(seen.error)
      if (seen.content && !caller.committed) {
        const refusal = refusalOf(chat, plan)
        if (refusal) {
          caller.close()
          return attempt.done(refusal)
        }
        caller.commit({})
      }
      if (room) await room.promise
      room = undefined
    }
    if (attempt.isOver()) return
    if (seen.finished < choices) return fail(seen.content ? cut() : silent())
    caller.finish({ status: 200, why: 'served', summary: summaryOfSeen(seen) }, writer.end())
  } catch (error) {
    if (!attempt.isOver()) fail(error)
  }
}

/** Runs a provider in this process. */
export function callInProcess(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  support: ChatInProcess,
): Promise<AttemptOutcome> {
  const run = chat.stream ? runStream : runWhole
  return attemptLocal(chat.context, plan.candidate, (attempt, signal) =>
    run(core, chat, plan, support, attempt, signal).catch((error: unknown) => {
      attempt.refused = isRejection(error)
      attempt.done(failed(plan, error))
    }),
  )
}
