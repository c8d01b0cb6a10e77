import type { RateExchangeReply } from '@headgate/gateway/ports'

/** Change of the difference of two clocks that is a jump, in milliseconds. */
const JUMP_MS = 1_000
/** Time for which the number of nodes of the lost data counts, in milliseconds. */
const NODES_KEPT_MS = 10_000

/** Result of a reply: whether it is the first one, and whether the store lost its counts. */
export interface ObservedReply {
  readonly isFirst: boolean
  readonly isLost: boolean
}

/** Shared store as its replies show it: its data, its clock and its nodes. Times are of the node's clock. */
export class ObservedStore {
  /** Id of the data; undefined before the first reply. */
  instance: string | undefined
  /** Maximum difference of the store's clock from the node's; undefined before the first reply. */
  offset: number | undefined
  nodes: number
  /** Time at which the last answered exchange was sent. */
  seenAt = Number.NEGATIVE_INFINITY
  #repliedAt = Number.NEGATIVE_INFINITY
  /** Number of nodes before the store lost its counts, and until when it counts. */
  #nodesBefore = 0
  #nodesUntil = 0

  constructor(nodes: number) {
    this.nodes = nodes
  }

  observe(reply: RateExchangeReply, sentAt: number, now: number): ObservedReply {
    const isFirst = this.instance === undefined
    const isLost = this.#hasLost(reply, now)
    if (isLost) {
      this.#nodesBefore = this.nodes
      this.#nodesUntil = now + NODES_KEPT_MS
    }
    this.nodes = Math.max(1, reply.nodes, now < this.#nodesUntil ? this.#nodesBefore : 0)
    this.instance = reply.instance
    this.offset = reply.now + 1 - sentAt
    this.#repliedAt = now
    this.seenAt = sentAt
    return { isFirst, isLost }
  }

  /** True if the store has other data than before, or if its clock jumped ahead, so that slots left too early. */
  #hasLost({ instance, now: storeNow }: RateExchangeReply, now: number): boolean {
    if (this.instance === undefined || this.offset === undefined) return false
    const drift = (now - this.#repliedAt) / 1_000
    return instance !== this.instance || storeNow - now > this.offset + JUMP_MS + drift
  }
}
