/** What a `readError` of an adapter is, of whatever kind. */
type ReadError = ((answer: never) => unknown) | undefined

/** An adapter's `readError` at work: what it throws is kept, since no caller is told. */
export interface Watched<T> {
  readonly adapter: T
  /** How the reading of an error is to be mended: with what was thrown since this was asked last. */
  mend(): string
}

/** Watches what `readError` throws. */
export function watchReader<T extends { readonly readError?: ReadError }>(adapter: T): Watched<T> {
  const { readError } = adapter
  if (!readError) return { adapter, mend: () => 'Where core misreads the vendor, write `readError`.' }
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
    mend() {
      const what = thrown
      thrown = undefined
      return what === undefined ? 'Mend `readError`: it is asked first.' : `\`readError\` threw ${what}: mend it.`
    },
  }
}
