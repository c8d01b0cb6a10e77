/** What is on a roll knows its place there. */
export interface InFlightEntry {
  place: number
}

/**
 * What is under way, in no order: a list whose last entry takes the place of one that leaves. A Set that as much is
 * added to and deleted from leaves a chain of outgrown tables behind, which keeps what was once in it alive
 * (docs/decisions/0006).
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
      entry.place = entries.length
      entries.push(entry)
    },
    remove(entry) {
      const last = entries.pop()
      if (!last || last === entry) return
      entries[entry.place] = last
      last.place = entry.place
    },
  }
}
