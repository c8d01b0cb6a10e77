import type { Part } from '@headgate/core/canonical'
import {
  createHeard,
  type Heard,
  observe,
  partsOf,
  restoreParts,
  restoreResponse,
  type Seen,
  upstreamErrorOf,
} from '@headgate/core/canonical'
import { HeadgateError, reworded, type UpstreamError } from '@headgate/core/errors'
import { readAnswer } from '../../../http/answer.ts'
import type { MemoryLease } from '../../../http/memory.ts'
import type { UpstreamHeaders } from '../../../http/upstream.ts'
import type { Attempt, Consumer } from '../../../serve/attempt.ts'
import type { Core } from '../../../serve/core.ts'
import { explain, failureOf } from '../../../serve/failure.ts'
import type { Ask } from '../ask.ts'
import type { Plan, RemotePlan } from '../plan.ts'
import { brokenStream, patches } from '../relay.ts'
import { LINGER_MS, wholeFrame } from '../stream.ts'
import { patchedAnswer, usageIn, usedBy } from '../unary.ts'

/** What one call of a model has said. */
export interface Round {
  readonly memory: Pick<MemoryLease, 'take'>
  readonly seen: Seen
  readonly heard: Heard
  headers: UpstreamHeaders
}

export function createRound(memory: Round['memory']): Round {
  return { memory, seen: { content: false, finished: 0 }, heard: createHeard(), headers: {} }
}

/** One call of a model on the way to an answer: its parts are taken as they come, those of a whole answer at once. */
export function roundConsumer(
  core: Core,
  ask: Ask,
  plan: Plan,
  remote: RemotePlan,
  attempt: Attempt,
  round: Round,
  take: (parts: readonly Part[]) => void,
): Consumer {
  const { instance, model } = plan.candidate
  const { seen } = round
  const note = observe(seen, round.heard)
  const signer = remote.target.signer
  const origin = signer === undefined ? {} : { signer }
  const failed = (error: UpstreamError): void => {
    attempt.done(
      explain(error.kind === 'cut' ? { ...error, kind: 'upstream' } : error, instance.name, model, instance.provider),
    )
  }
  const pass = (parts: readonly Part[]): void => {
    const good: Part[] = []
    for (const part of parts) {
      note(part)
      if (seen.error) break
      good.push(part)
    }
    take(good)
    if (seen.error) failed(upstreamErrorOf(seen.error))
  }
  const common = {
    fail: (error: HeadgateError): void => attempt.done(reworded(error, `${instance.name}: ${error.message}`)),
    stop: (error: HeadgateError): void => attempt.done(error),
  }
  const chunks: Buffer[] = []
  let size = 0
  const gather = (chunk: Buffer, limit: number): void => {
    round.memory.take(chunk.length)
    size += chunk.length
    if (size > limit)
      attempt.done(new HeadgateError('upstream', `${instance.name} answered with more than ${limit} bytes.`))
    else chunks.push(chunk)
  }
  const gathered = () => readAnswer(attempt.status ?? 0, round.headers, Buffer.concat(chunks))
  const refusal = (): boolean => {
    const answer = gathered()
    const error = failureOf(answer, remote.format, instance.provider)
    if (!error) return false
    attempt.refused = answer.status >= 400
    attempt.used = usedBy(core, ask, plan, usageIn(remote, answer.body))
    attempt.done(explain(error, instance.name, model, instance.provider))
    return true
  }
  if (!remote.call.stream)
    return {
      ...common,
      head(status, given) {
        attempt.status = status
        round.headers = given
      },
      data: (chunk) => gather(chunk, core.limits.answer),
      end() {
        if (refusal()) return
        try {
          const patched = patchedAnswer(remote, gathered())
          pass(partsOf(restoreResponse(remote.format.readResponse(patched, origin), remote.restore)))
        } catch (cause) {
          const why = HeadgateError.is(cause) ? cause.message : `The answer is not valid ${remote.format.id}.`
          attempt.done(new HeadgateError('upstream', `${instance.name}: ${why}`, { cause }))
        }
        attempt.done('served')
      },
    }

  const splitter = remote.framing.splitter()
  const reader = remote.format.readStream(origin)
  const patch = patches(remote.support, remote.call)
  const bend = restoreParts(remote.restore)
  let linger: NodeJS.Timeout | undefined
  let isUnusable = false
  const read = (piece: Uint8Array): void => {
    for (const raw of remote.framing.read(piece)) {
      const frame = attempt.isOver() ? undefined : patch(raw)
      if (frame) pass(reader.push(frame).flatMap(bend))
    }
  }
  const conclude = (): void => {
    clearTimeout(linger)
    try {
      const rest = splitter.rest()
      const frame = rest && wholeFrame(remote.framing, rest)
      if (frame) read(frame)
      if (!attempt.isOver()) pass(reader.end().flatMap(bend))
    } catch (cause) {
      attempt.done(brokenStream(cause))
    }
    if (seen.finished > 0) attempt.done('served')
    else if (!seen.content)
      attempt.done(new HeadgateError('upstream', `${instance.name} ended its stream before it said anything.`))
    else attempt.done(new HeadgateError('upstream', `${instance.name} cut its stream.`))
  }
  return {
    ...common,
    head(status, given) {
      attempt.status = status
      round.headers = given
      const type = given['content-type']
      isUnusable = status >= 300 || (type !== undefined && !remote.framing.type.test(String(type)))
    },
    data(chunk) {
      if (isUnusable) return gather(chunk, core.limits.answer)
      try {
        // The parts of all rounds stay until the answer ends.
        round.memory.take(chunk.length)
        const piece = splitter.push(chunk)
        if (piece) read(piece)
      } catch (cause) {
        attempt.done(brokenStream(cause))
      }
      // What still comes behind the end is its usage, which is not waited for any longer.
      if (seen.finished > 0 && !attempt.isOver()) linger ??= setTimeout(conclude, LINGER_MS)
    },
    end() {
      if (!isUnusable) conclude()
      else if (!refusal())
        attempt.done(new HeadgateError('upstream', `${instance.name} answered with no stream where one was due.`))
    },
    fail(error) {
      clearTimeout(linger)
      if (seen.finished > 0) conclude()
      else common.fail(error)
    },
    stop(error) {
      clearTimeout(linger)
      common.stop(error)
    },
  }
}
