/** Changes of one window: one unit, `requests` or `tokens`, of one rate limit over 60 seconds. */
export interface WindowRequest {
  /** Scope, id and unit of the limit, such as `key\nalice\nrequests`. */
  readonly key: string
  /** Maximum amount within any 60 seconds. */
  readonly limit: number
  /** Smallest useful amount; 0 = only the changes below. Nothing is granted if less is left. */
  readonly least: number
  /** Desired amount, at least `least`. */
  readonly want: number
  /**
   * Amounts to add to slots (positive), or to return (negative). Slots are numbers of a former reply. Slots that have
   * left the window are ignored; an amount never falls below 0.
   */
  readonly changes: readonly SlotChange[]
}

export interface SlotChange {
  readonly slot: number
  readonly amount: number
}

/** Concurrent requests of one rate limit. */
export interface PlacesRequest {
  /** Scope and id of the limit, such as `key\nalice\nconcurrent`. */
  readonly key: string
  readonly limit: number
  /** Places that this node holds, in use or not. Absolute: a lost reply corrects itself. 0 = none. */
  readonly held: number
  /** Places that this node can use, with those in use; at most `limit`. 0 = none. */
  readonly demand: number
  /** Places that this node wants in addition. As many as are free are granted, and at most up to its part. */
  readonly want: number
}

/** Round trip of a node to the shared rates. */
export interface RateExchange {
  /** Id of the node's process run. */
  readonly node: string
  /** Time until an allocation that is granted now expires, in milliseconds; at most 2,000. */
  readonly allocationMs: number
  readonly windows: readonly WindowRequest[]
  readonly places: readonly PlacesRequest[]
}

export interface WindowReply {
  /** 0, or an amount from `least` to `want`. */
  readonly granted: number
  /** Slot in which the granted amount is counted: the slot of `now + allocationMs`. */
  readonly slot: number
  /** Amount within the window afterwards, over all nodes. */
  readonly used: number
  /** Milliseconds until `least` may fit, if nothing was granted; otherwise 0. */
  readonly freeInMs: number
}

export interface PlacesReply {
  readonly granted: number
  /** Places that other nodes hold. */
  readonly others: number
  /**
   * Places that this node should hold at most. It is `limit` if the places are enough for the demands of all nodes;
   * otherwise they are divided equally, and no node gets more than its demand.
   */
  readonly part: number
  /** Part after `nextInMs`: one less or more if nodes take turns with the places that cannot be divided equally. */
  readonly nextPart: number
  readonly nextInMs: number
}

export interface RateExchangeReply {
  /** Clock of the store in Unix milliseconds. */
  readonly now: number
  /** Id of the store's data. If it changes, counts were lost, and each node adds what it took during the last minute. */
  readonly instance: string
  /** Time at which the data began to exist, by the store's clock; absent = long ago. */
  readonly since?: number | undefined
  /** Nodes with an exchange in the last 10 seconds, this one included. */
  readonly nodes: number
  /** Replies in the order of the request. */
  readonly windows: readonly WindowReply[]
  readonly places: readonly PlacesReply[]
}

/**
 * Counts of rate limits that several nodes share. Windows have slots of 250 ms by the clock of the store; a slot leaves
 * when all of it is older than 60 seconds. Places of a node without an exchange for 10 seconds are free again.
 */
export interface SharedRates {
  /** Applies all changes in one round trip. Rejects if the store does not answer; the changes may be applied then. */
  exchange(exchange: RateExchange): Promise<RateExchangeReply>
  /**
   * Calls back with the key of each limit of which places became free for a node. Calls may be lost. Absent = nodes
   * must ask.
   */
  onFreePlaces?(node: string, listener: (key: string) => void): void
}

/** Length of a slot in milliseconds, and slots of a window. */
export const SHARED_SLOT_MS = 250
export const SHARED_SLOTS = 240
/** Time without an exchange after which a node's places are free, in milliseconds. */
export const NODE_SEEN_MS = 10_000
