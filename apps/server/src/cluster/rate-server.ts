import { type MemoryCounters, memoryCounters } from '@headgate/gateway/operate'
import type { RateSlot } from '@headgate/gateway/ports'
import type { RateLeave, RateQuestion, RateReply } from './messages.ts'
import type { Slot, Workers } from './workers.ts'

/**
 * Time that a request waits for a free concurrent place, in milliseconds. The end of another request may be on its way
 * from another worker, whose caller already knows it.
 */
const GRACE = 25

/** Rate limits counted for all workers. */
export interface RateServer {
  asked(slot: Slot, questions: readonly RateQuestion[], leaves: readonly RateLeave[]): void
  /** Frees the open places of a dead worker. Its requests stay counted. */
  forget(slot: Slot): void
}

export function createRateServer(
  { tell }: Pick<Workers, 'tell'>,
  counters: MemoryCounters = memoryCounters(),
): RateServer {
  const all = new Map<Slot, Map<number, RateSlot>>()

  const placesOf = (slot: Slot): Map<number, RateSlot> => {
    const known = all.get(slot)
    if (known) return known
    const places = new Map<number, RateSlot>()
    all.set(slot, places)
    return places
  }
  /** Undefined if the reply is not known yet. */
  const replyTo = (places: Map<number, RateSlot>, question: RateQuestion, isLast: boolean): RateReply | undefined => {
    const { id } = question
    const answer = counters.take(question)
    if ('leave' in answer) {
      places.set(id, answer)
      return { id, states: answer.states }
    }
    return answer.unit === 'concurrent' && !isLast ? undefined : { id, refusal: answer }
  }

  return {
    asked(slot, questions, leaves) {
      const places = placesOf(slot)
      for (const { id, tokens } of leaves) {
        places.get(id)?.leave(tokens)
        places.delete(id)
      }
      const replies: RateReply[] = []
      const late: RateQuestion[] = []
      for (const question of questions) {
        const reply = replyTo(places, question, false)
        if (reply) replies.push(reply)
        else late.push(question)
      }
      if (replies.length > 0) tell(slot, { kind: 'rated', replies })
      if (late.length === 0) return
      setTimeout(() => {
        // A new worker in this slot uses its own ids.
        if (all.get(slot) !== places) return
        tell(slot, { kind: 'rated', replies: late.flatMap((question) => replyTo(places, question, true) ?? []) })
      }, GRACE)
    },
    forget(slot) {
      for (const place of all.get(slot)?.values() ?? []) place.leave(undefined)
      all.delete(slot)
    },
  }
}
