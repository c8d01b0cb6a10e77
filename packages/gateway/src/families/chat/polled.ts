import type { Part } from '@headgate/core/canonical'
import type { ChatSupport, HttpResponse, Next } from '@headgate/core/contract'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { charge } from '../../cost/charge.ts'
import { hopsOf } from '../../edge/hops.ts'
import { finishExchange } from '../../http/exchange.ts'
import { createResponseMemory } from '../../http/memory.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { readWholeResponse } from '../../http/whole-response.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { attemptRemote, type Consumer, type RunningAttempt } from '../../serve/attempt.ts'
import type { Core } from '../../serve/core.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import type { ChatCall } from './chat-call.ts'
import { type ChatPlan, outgoingOf, type RemotePlan } from './plan.ts'
import { unaryConsumer, usageIn, usedBy } from './unary.ts'
import { streamedFront } from './web-search/call.ts'
import { createRound, roundConsumer } from './web-search/model-round.ts'

/** Polls a job until it is done. `consumer` gets the last response, or the first one if it is a failure. */
function pollingConsumer(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  remote: RemotePlan,
  attempt: RunningAttempt,
  consumer: Consumer,
): Consumer {
  const { context } = chat
  const { instance, model } = plan.candidate
  const { provider, name } = instance
  const poll = remote.support.poll as NonNullable<ChatSupport['poll']>
  const memory = createResponseMemory(context.memory)
  const abort = new AbortController()
  const chunks: Buffer[] = []
  let size = 0
  let status = 0
  let headers: UpstreamHeaders = {}
  let refusal: HeadgateError | undefined

  const give = (answer: HttpResponse): void => {
    if (attempt.isOver()) return
    consumer.head(answer.status, answer.headers)
    consumer.data(Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength))
    if (!attempt.isOver()) consumer.end()
  }
  /** Records the usage of a failed job. Once the job exists, it may be charged. */
  const check = (answer: HttpResponse): void => {
    const error = failureOf(answer, remote.format, provider)
    if (!error) return
    attempt.status = answer.status
    attempt.used = usedBy(core, chat, plan, usageIn(remote, answer.body))
    refusal = explain(error, name, model, provider)
    throw refusal
  }
  const follow = (created: HttpResponse, first: Next): Promise<void> => {
    const { answer: limit } = core.limits
    const read = (answer: HttpResponse, earlier: readonly HttpResponse[]) =>
      poll(answer, remote.call, [created, ...earlier]) ?? answer
    const hops = hopsOf(context.incoming)
    const options = { limit, signal: abort.signal, memory: context.memory, waiting: instance.waiting, hops, check }
    return finishExchange(upstreamAccessOf(core, context, name, provider), provider, first, read, options).then(give)
  }
  const failed = (error: HeadgateError): void => attempt.done(reworded(error, `${name}: ${error.message}`))

  return {
    head(answered, given) {
      attempt.status = answered
      status = answered
      headers = given
      memory.head(given)
    },
    data(chunk) {
      memory.data(chunk.length)
      size += chunk.length
      if (size > core.limits.answer)
        failed(new HeadgateError('upstream', `it responded with more than ${core.limits.answer} bytes.`))
      else chunks.push(chunk)
    },
    end() {
      const answer = readWholeResponse(status, headers, Buffer.concat(chunks))
      memory.release()
      if (failureOf(answer, remote.format, provider)) return give(answer)
      let further: Next | undefined
      try {
        further = poll(answer, remote.call, [])
      } catch (cause) {
        return failed(new HeadgateError('upstream', "The provider's response has an unexpected shape.", { cause }))
      }
      if (!further) return give(answer)
      follow(answer, further).catch((error: unknown) =>
        HeadgateError.is(error) && error === refusal ? attempt.done(error) : failed(asError(error)),
      )
    },
    fail: (error) => consumer.fail(error),
    stop(error) {
      abort.abort(error)
      consumer.stop(error)
    },
  }
}

/**
 * Calls an upstream that responds with a job. If the caller wants a stream, it is written from the complete response.
 */
export async function callPolled(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  remote: RemotePlan,
): Promise<AttemptOutcome> {
  const { context } = chat
  const attempted = (consumerOf: (attempt: RunningAttempt) => Consumer): Promise<AttemptOutcome> =>
    attemptRemote(core, context, plan.candidate, outgoingOf(remote), (attempt) =>
      pollingConsumer(core, chat, plan, remote, attempt, consumerOf(attempt)),
    )
  if (!chat.stream) return attempted((attempt) => unaryConsumer(core, chat, plan, remote, attempt))
  const servedFrom = context.attempts.length
  const round = createRound(context.memory)
  const parts: Part[] = []
  const outcome = await attempted((attempt) =>
    roundConsumer({
      core,
      chat,
      plan,
      remote,
      attempt,
      round,
      take(more) {
        for (const part of more) parts.push(part)
      },
    }),
  )
  if (outcome !== 'served') return outcome
  const { usage } = round.seen
  charge(context.attempts.at(-1), usage, core.priceOf(plan.candidate, context.startedAt))
  const front = streamedFront(core, chat, plan, servedFrom, () => undefined)
  try {
    return await front.end(parts, usage, round)
  } catch (error) {
    front.close()
    return asError(error)
  }
}
