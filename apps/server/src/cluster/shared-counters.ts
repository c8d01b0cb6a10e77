import { HeadgateError, type RateRefusal } from '@headgate/gateway'
import type { RateCounters, RateSlot } from '@headgate/gateway/ports'
import type { RateLeave, RateQuestion, RateReply, WorkerNews } from './messages.ts'

/** Time limit of an answer from the primary process, in milliseconds. */
const PATIENCE = 2_000
/** Time after which callers can retry, in milliseconds. */
const LATER = 1_000

/** Rate limit counters of all workers, as seen by one of them. */
export interface SharedCounters extends RateCounters {
  take(ask: Parameters<RateCounters['take']>[0]): Promise<RateSlot | RateRefusal>
  answered(replies: readonly RateReply[]): void
}

/**
 * Creates the counters. Requests and returns within one turn of the event loop share a message. `onSilence` is called
 * once until the next answer.
 */
export function createSharedCounters(tell: (news: WorkerNews) => void, onSilence: () => void): SharedCounters {
  const waiting = new Map<number, (reply: RateReply) => void>()
  let questions: RateQuestion[] = []
  let leaves: RateLeave[] = []
  let lastId = 0
  let isSilent = false
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
  const leave = (left: RateLeave): void => {
    leaves.push(left)
    soon()
  }
  const resultOf = ({ id, refusal, states = [] }: RateReply): RateSlot | RateRefusal => {
    if (refusal) return refusal
    let isLeft = false
    return {
      states,
      leave(tokens) {
        if (isLeft) return
        isLeft = true
        leave({ id, tokens })
      },
    }
  }
  const silence = (): HeadgateError => {
    if (!isSilent) onSilence()
    isSilent = true
    return new HeadgateError('over-limit', 'The rate limits cannot be checked now. Try again in a second.', {
      retryAfterMs: LATER,
    })
  }

  return {
    take(ask) {
      const id = ++lastId
      questions.push({ id, ...ask })
      soon()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(silence())
        }, PATIENCE)
        waiting.set(id, (reply) => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(resultOf(reply))
        })
      })
    },
    answered(replies) {
      isSilent = false
      for (const reply of replies) {
        const resolve = waiting.get(reply.id)
        if (resolve) resolve(reply)
        // The request was abandoned.
        else if (!reply.refusal) leave({ id: reply.id, tokens: 0 })
      }
    },
  }
}
