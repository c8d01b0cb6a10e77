import type { Outage } from './alone.ts'

/** State of the node's counts. */
export interface AllocationsState {
  /** True if limits are counted for all nodes; false while this node uses its part of each limit. */
  readonly isShared: boolean
  /** Reasons why limits are not counted for all nodes. */
  readonly reasons: readonly string[]
}

/** Outages of the store, as seen by this node. */
export class Outages {
  current: Outage | undefined
  /** Time at which the outage ends if the store continues to answer; undefined = it does not answer. */
  returnAt: number | undefined
  readonly #onChange: (state: AllocationsState) => void
  #count = 0
  #reason = ''

  constructor(onChange: (state: AllocationsState) => void) {
    this.#onChange = onChange
  }

  get state(): AllocationsState {
    return this.current ? { isShared: false, reasons: [this.#reason] } : { isShared: true, reasons: [] }
  }

  /** Begins an outage, or changes the reason of the present one. The wait after a start is not reported. */
  begin(reason: string, { at, nodes, hasUnknownNodes }: Omit<Outage, 'number'>, isReported = !hasUnknownNodes): void {
    this.#reason = reason
    this.returnAt = undefined
    if (this.current) return
    this.current = { number: ++this.#count, at, nodes, hasUnknownNodes }
    if (isReported) this.#onChange(this.state)
  }

  end(): void {
    const isReported = !this.current?.hasUnknownNodes
    this.current = undefined
    this.returnAt = undefined
    if (isReported) this.#onChange(this.state)
  }
}
