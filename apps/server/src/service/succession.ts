import type { Gateway } from '@headgate/gateway'

/** The gateway that serves, and those before it that finish what they have begun. */
export interface Succession extends Pick<Gateway, 'close' | 'abort' | 'inFlight'> {
  readonly current: Gateway
  /** The next request is the successor's; the one before ends when its last request has. */
  takeOver(successor: Gateway): void
}

export function createSuccession(first: Gateway): Succession {
  let current = first
  const ending = new Set<Gateway>()
  const all = (): Gateway[] => [current, ...ending]
  return {
    get current() {
      return current
    },
    takeOver(successor) {
      const before = current
      current = successor
      ending.add(before)
      void before.close().finally(() => ending.delete(before))
    },
    inFlight: () => all().reduce((sum, one) => sum + one.inFlight(), 0),
    async close() {
      await Promise.all(all().map((one) => one.close()))
    },
    abort() {
      for (const one of all()) one.abort()
    },
  }
}
