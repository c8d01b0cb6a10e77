/** Resolves with true once the promise is fulfilled, and with false if it rejects or the time limit passes. */
export async function within(limit: number, done: Promise<unknown>): Promise<boolean> {
  return (
    (await valueWithin(
      limit,
      done.then(() => true),
    )) === true
  )
}

/** Resolves with the value of the promise, and with undefined if it rejects or the time limit in milliseconds passes. */
export async function valueWithin<T>(limit: number, done: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>()
  const timer = setTimeout(resolve, limit, undefined)
  done.then(resolve, () => resolve(undefined))
  const result = await promise
  clearTimeout(timer)
  return result
}
