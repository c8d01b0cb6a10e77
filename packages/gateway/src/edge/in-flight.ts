/** Entry of a list that stores its own index. */
export interface InFlightEntry {
  index: number
}

/**
 * Unordered list of the requests in progress; the last entry replaces a removed one. A Set with as many deletions as
 * additions keeps a chain of outgrown tables, which keeps old entries alive (docs/decisions/0006).
 */
export interface InFlight<T extends InFlightEntry> {
  readonly entries: readonly T[]
  add(entry: T): void
  remove(entry: T): void
}

export function createInFlight<T extends InFlightEntry>(): InFlight<T> {
  const entries: T[] = []
  return {
    entries,
    add(entry) {
      entry.index = entries.length
      entries.push(entry)
    },
    remove(entry) {
      const last = entries.pop()
      if (!last || last === entry) return
      entries[entry.index] = last
      last.index = entry.index
    },
  }
}
