/** Plans in turn. Several readers take from the same sequence. */
export interface Turns<P> extends Iterable<P> {
  /** Takes the next plan; undefined = none is left. */
  take(): P | undefined
  /** The next plan, which stays; undefined = none is left. */
  peek(): P | undefined
  /** Plans that were taken, in their order. */
  readonly taken: readonly P[]
}

export function createTurns<P>(plans: Iterable<P>): Turns<P> {
  return new PlanTurns(plans[Symbol.iterator]())
}

/** A class, because a generator or an object with closures costs each request more than a microsecond. */
class PlanTurns<P> implements Turns<P>, Iterator<P> {
  readonly taken: P[] = []
  private upcoming: P | undefined
  private readonly source: Iterator<P>

  constructor(source: Iterator<P>) {
    this.source = source
  }

  peek(): P | undefined {
    if (this.upcoming !== undefined) return this.upcoming
    const { value, done } = this.source.next()
    this.upcoming = done ? undefined : value
    return this.upcoming
  }

  take(): P | undefined {
    const plan = this.peek()
    this.upcoming = undefined
    if (plan !== undefined) this.taken.push(plan)
    return plan
  }

  next(): IteratorResult<P, undefined> {
    const value = this.take()
    return value === undefined ? { value: undefined, done: true } : { value, done: false }
  }

  [Symbol.iterator](): Iterator<P> {
    return this
  }
}
