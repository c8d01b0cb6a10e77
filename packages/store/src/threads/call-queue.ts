/** Functions that each use a connection. */
type QueuedCalls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** Functions that run at most `most` calls at a time, in the order of the calls. */
export function queueCalls<Calls extends QueuedCalls>(calls: Calls, most: number): Calls {
  const waiting: (() => void)[] = []
  let running = 0
  const enter = async (): Promise<void> => {
    if (running < most) {
      running += 1
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    await promise
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      await enter()
      try {
        return await call(...args)
      } finally {
        leave()
      }
    },
  ])
  return Object.fromEntries(entries)
}
