/** Things that happen, in order: a test waits for the next one instead of sleeping. */
export interface Inbox<T> {
  readonly all: readonly T[]
  push(item: T): void
  /** The oldest that nobody has taken, when it is there. */
  next(): Promise<T>
}

export function createInbox<T>(): Inbox<T> {
  const all: T[] = []
  const waiting: ((item: T) => void)[] = []
  let taken = 0
  const deliver = (): void => {
    while (taken < all.length && waiting.length > 0) {
      const item = all[taken++] as T
      waiting.shift()?.(item)
    }
  }
  return {
    all,
    push(item) {
      all.push(item)
      deliver()
    },
    next() {
      return new Promise((resolve) => {
        waiting.push(resolve)
        deliver()
      })
    },
  }
}
