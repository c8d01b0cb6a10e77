/** Pending tool calls of a conversation. They match results to calls if the caller sent no ids. */
export interface PendingCalls {
  add(name: string, id: string): void
  /**
   * Id of the call for a result: the call with the id, else the oldest pending call of that name, or of any name if
   * none is given.
   */
  take(name: string | undefined, id?: string): string | undefined
}

interface PendingCall {
  readonly id: string
  answered: boolean
}

/** Calls in order. All before `next` have a result. */
interface CallQueue {
  readonly calls: PendingCall[]
  next: number
}

export function pendingCalls(): PendingCalls {
  const all: CallQueue = { calls: [], next: 0 }
  const byName = new Map<string, CallQueue>()
  const byId = new Map<string, CallQueue>()
  return {
    add(name, id) {
      const call: PendingCall = { id, answered: false }
      all.calls.push(call)
      queueOf(byName, name).calls.push(call)
      queueOf(byId, id).calls.push(call)
    },
    take(name, id) {
      const call = (id && first(byId.get(id))) || first(name === undefined ? all : byName.get(name))
      if (!call) return undefined
      call.answered = true
      return call.id
    },
  }
}

function queueOf(queues: Map<string, CallQueue>, key: string): CallQueue {
  const known = queues.get(key)
  if (known) return known
  const made: CallQueue = { calls: [], next: 0 }
  queues.set(key, made)
  return made
}

function first(queue: CallQueue | undefined): PendingCall | undefined {
  if (!queue) return undefined
  while (queue.calls[queue.next]?.answered) queue.next += 1
  return queue.calls[queue.next]
}
