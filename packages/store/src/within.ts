/** Resolves with true once the promise is fulfilled, and with false if it rejects or the time limit passes. */
export async function within(limit: number, done: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, limit, false)
  done.then(
    () => resolve(true),
    () => resolve(false),
  )
  const isDone = await promise
  clearTimeout(timer)
  return isDone
}
