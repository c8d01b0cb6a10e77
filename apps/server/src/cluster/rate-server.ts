import type { RateRefusal } from '@headgate/gateway'
import { memoryCounters } from '@headgate/gateway/operate'
import type { RateCounters, RateSlot } from '@headgate/gateway/ports'
import type { RateLeave, RateQuestion, RateReply } from './messages.ts'
import type { Slot, Workers } from './workers.ts'

/**
 * Time that a request waits for a free concurrent place, in milliseconds. The end of another request may be on its way
 * from another worker, whose caller already knows it.
 */
const GRACE = 25

/**
 * Time after the death of a worker until its places are free, in milliseconds. Upstreams must notice that its
 * connections are closed, and end its calls.
 */
const DEAD_MS = 1_000

/** Rate limits counted for all workers. */
export interface RateServer {
  asked(slot: Slot, questions: readonly RateQuestion[], leaves: readonly RateLeave[]): void
  /** Frees the open places of a dead worker after a second. Its requests stay counted. */
  forget(slot: Slot): void
}

/** Open places of a worker by the id of their question. */
type OpenPlaces = Map<number, RateSlot>

/**
 * Creates the server. Counters that other nodes share may answer later; their answers of one moment share a message.
 * @param counters default: counters in memory
 */
export function createRateServer(
  { tell }: Pick<Workers, 'tell'>,
  counters: RateCounters = memoryCounters(),
): RateServer {
  const all = new Map<Slot, OpenPlaces>()
  const lateReplies = new Map<Slot, RateReply[]>()

  const placesOf = (slot: Slot): OpenPlaces => {
    const known = all.get(slot)
    if (known) return known
    const places = new Map<number, RateSlot>()
    all.set(slot, places)
    return places
  }
  const replyOf = (places: OpenPlaces, id: number, answer: RateSlot | RateRefusal): RateReply => {
    if (!('leave' in answer)) return { id, refusal: answer }
    places.set(id, answer)
    return { id, states: answer.states }
  }
  const tellLater = (slot: Slot, reply: RateReply): void => {
    const known = lateReplies.get(slot)
    if (known) return void known.push(reply)
    const replies = [reply]
    lateReplies.set(slot, replies)
    queueMicrotask(() => {
      lateReplies.delete(slot)
      tell(slot, { kind: 'rated', replies })
    })
  }
  const replyWhenKnown = async (
    slot: Slot,
    places: OpenPlaces,
    id: number,
    pending: Promise<RateSlot | RateRefusal>,
  ): Promise<void> => {
    // The worker refuses a request without an answer after its own time limit.
    const answer = await pending.catch(() => undefined)
    if (!answer) return
    // A new worker in this slot uses its own ids.
    if (all.get(slot) === places) tellLater(slot, replyOf(places, id, answer))
    else if ('leave' in answer) answer.leave(0)
  }
  /** Undefined if the reply is not known yet. */
  const replyTo = (slot: Slot, places: OpenPlaces, question: RateQuestion): RateReply | undefined => {
    const answer = counters.take(question)
    if (!(answer instanceof Promise)) return replyOf(places, question.id, answer)
    void replyWhenKnown(slot, places, question.id, answer)
    return undefined
  }
  const replyAfterGrace = (slot: Slot, places: OpenPlaces, late: readonly RateQuestion[]): void => {
    if (all.get(slot) !== places) return
    const replies = late.flatMap((question) => replyTo(slot, places, question) ?? [])
    if (replies.length > 0) tell(slot, { kind: 'rated', replies })
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
        const reply = replyTo(slot, places, question)
        if (reply?.refusal?.unit === 'concurrent') late.push(question)
        else if (reply) replies.push(reply)
      }
      if (replies.length > 0) tell(slot, { kind: 'rated', replies })
      if (late.length > 0) setTimeout(() => replyAfterGrace(slot, places, late), GRACE)
    },
    forget(slot) {
      const places = all.get(slot)
      all.delete(slot)
      if (!places?.size) return
      setTimeout(() => {
        for (const place of places.values()) place.leave(undefined)
      }, DEAD_MS).unref()
    },
  }
}
