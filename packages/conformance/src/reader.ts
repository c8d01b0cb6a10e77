/** `readError` of any kind of adapter. */
type ReadError = ((answer: never) => unknown) | undefined

/** Adapter whose `readError` is observed: its exceptions are recorded, because callers do not see them. */
export interface ObservedReader<T> {
  readonly adapter: T
  /** Advice on how to fix `readError`, with its exception since the last call. */
  advice(): string
}

/** Records exceptions of `readError`. */
export function observeReader<T extends { readonly readError?: ReadError }>(adapter: T): ObservedReader<T> {
  const { readError } = adapter
  if (!readError) return { adapter, advice: () => "If core misreads the vendor's errors, write `readError`." }
  let thrown: string | undefined
  const watched = (answer: never): unknown => {
    try {
      return readError.call(adapter, answer)
    } catch (error) {
      thrown = String(error)
      throw error
    }
  }
  return {
    adapter: { ...adapter, readError: watched },
    advice() {
      const what = thrown
      thrown = undefined
      return what === undefined
        ? 'Fix `readError`: it takes precedence over core.'
        : `\`readError\` threw ${what}: fix it.`
    },
  }
}
