import type { RateRefusal } from '@headgate/gateway'
import type { CountedRequest, RateCounters, RateSlot } from '@headgate/gateway/ports'
import type { RateLeave, RateQuestion, RateReply, WorkerNews } from './messages.ts'
import type { OwnCounters } from './own-counters.ts'

/** Time limit of an answer from the primary process, in milliseconds. */
const PATIENCE = 2_000

/** Rate limit counters of all workers, as seen by one of them. */
export interface SharedCounters extends RateCounters {
  take(ask: CountedRequest): Promise<RateSlot | RateRefusal>
  answered(replies: readonly RateReply[]): void
  /** Reports that the primary process has ended. From now on the worker counts without it. */
  orphaned(): void
}

export interface SharedCountersParts {
  tell(news: WorkerNews): void
  /** Called once until the next answer. */
  onSilence(): void
  /** Opens counters of this worker, at its first request that the primary process does not answer. */
  openOwn(): Promise<OwnCounters>
}

/** Request of this worker that the primary process has admitted. */
interface HeldPlace {
  readonly ask: CountedRequest
  /** Its place in the counters of this worker, after the end of the primary process. */
  own?: RateSlot | undefined
}

/** Collects questions and returns, and sends them after the present turn of the event loop. */
function createOutbox(tell: SharedCountersParts['tell']) {
  let questions: RateQuestion[] = []
  let leaves: RateLeave[] = []
  let isDue = false
  const flush = (): void => {
    isDue = false
    const news: WorkerNews = { kind: 'rates', questions, leaves }
    questions = []
    leaves = []
    tell(news)
  }
  const soon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(flush)
  }
  return {
    ask(question: RateQuestion): void {
      questions.push(question)
      soon()
    },
    leave(left: RateLeave): void {
      leaves.push(left)
      soon()
    },
  }
}

/**
 * Creates the counters. Requests and returns within one turn of the event loop share a message. No request fails
 * because the primary process does not answer: the worker then uses its own counters.
 */
export function createSharedCounters({ tell, onSilence, openOwn }: SharedCountersParts): SharedCounters {
  const waiting = new Map<number, (reply: RateReply | undefined) => void>()
  const held = new Map<number, HeldPlace>()
  const outbox = createOutbox(tell)
  let lastId = 0
  let isSilent = false
  let isOrphaned = false
  let opened: Promise<OwnCounters> | undefined

  const own = (): Promise<OwnCounters> => {
    opened ??= openOwn()
    return opened
  }
  const closeOwn = async (): Promise<void> => {
    const closing = opened
    opened = undefined
    // Its units expire by themselves if that fails.
    await closing?.then((counters) => counters.close()).catch(() => {})
  }
  const resultOf = (ask: CountedRequest, { id, refusal, states = [] }: RateReply): RateSlot | RateRefusal => {
    if (refusal) return refusal
    held.set(id, { ask })
    return {
      states,
      leave(tokens) {
        const place = held.get(id)
        if (!held.delete(id)) return
        place?.own?.leave(tokens)
        if (!isOrphaned) outbox.leave({ id, tokens })
      },
    }
  }
  /** Declares places in the own counters, since the primary process does not any more. */
  const adoptAll = async (): Promise<void> => {
    const counters = await own()
    for (const place of held.values()) place.own = counters.adopt?.(place.ask)
  }

  return {
    async take(ask) {
      if (isOrphaned) return (await own()).take(ask)
      const id = ++lastId
      outbox.ask({ id, ...ask })
      const { promise, resolve } = Promise.withResolvers<RateReply | undefined>()
      waiting.set(id, resolve)
      const timer = setTimeout(() => {
        if (!isSilent) onSilence()
        isSilent = true
        resolve(undefined)
      }, PATIENCE)
      const reply = await promise
      clearTimeout(timer)
      waiting.delete(id)
      return reply ? resultOf(ask, reply) : (await own()).take(ask)
    },
    answered(replies) {
      isSilent = false
      if (opened) void closeOwn()
      for (const reply of replies) {
        const resolve = waiting.get(reply.id)
        if (resolve) resolve(reply)
        // The worker has counted the request itself.
        else if (!reply.refusal) outbox.leave({ id: reply.id, tokens: 0 })
      }
    },
    orphaned() {
      if (isOrphaned) return
      isOrphaned = true
      for (const resolve of waiting.values()) resolve(undefined)
      if ([...held.values()].some(({ ask }) => ask.limits.some(({ limit }) => limit.concurrent !== undefined)))
        adoptAll().catch(() => {})
    },
  }
}
