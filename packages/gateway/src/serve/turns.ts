/** Plans in turn. Several readers take from the same sequence. */
export interface Turns<P> extends Iterable<P> {
  /** Takes the next plan; undefined = none is left. */
  take(): P | undefined
  /** The next plan, which stays; undefined = none is left. */
  peek(): P | undefined
  /** Plans that were taken, in their order. */
  readonly taken: readonly P[]
}

const END = { value: undefined, done: true } as const

/** Sequence of plans that are created when their turn comes. */
export function createTurns<P>(plans: Iterable<P>): Turns<P> {
  const source = plans[Symbol.iterator]()
  const taken: P[] = []
  let next: P | undefined
  const peek = (): P | undefined => {
    if (next !== undefined) return next
    const { value, done } = source.next()
    next = done ? undefined : value
    return next
  }
  const take = (): P | undefined => {
    const plan = peek()
    next = undefined
    if (plan !== undefined) taken.push(plan)
    return plan
  }
  return {
    peek,
    take,
    taken,
    // Not a generator, which costs a microsecond for each request.
    [Symbol.iterator]: () => ({
      next() {
        const value = take()
        return value === undefined ? END : { value, done: false }
      },
    }),
  }
}
