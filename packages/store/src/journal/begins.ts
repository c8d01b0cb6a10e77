import type { BeginRecord, JournalRecord } from './record.ts'

/** Begin records of requests that have not ended. */
export interface OpenBegins {
  /** Adds the next record of a journal. Records repeated at the start of a segment count once. */
  add(record: JournalRecord): void
  /** Begin records, one per upstream call. */
  all(): BeginRecord[]
  /** Begin records of one request; empty if it has ended. */
  of(id: string): readonly BeginRecord[]
  /** Begin records marked as repeated, for the start of the next segment. */
  again(): BeginRecord[]
}

export function createOpenBegins(): OpenBegins {
  const open = new Map<string, BeginRecord[]>()
  return {
    add: (record) => {
      if (record.kind === 'e') open.delete(record.row.id)
      if (record.kind === 'r') open.delete(record.id)
      if (record.kind !== 'b') return
      const known = open.get(record.id)
      if (!known) open.set(record.id, [record])
      else if (known.length < (record.again ?? Number.POSITIVE_INFINITY)) known.push(record)
    },
    all: () => [...open.values()].flat(),
    of: (id) => open.get(id) ?? [],
    again: () => [...open.values()].flatMap((begins) => begins.map((begin, index) => ({ ...begin, again: index + 1 }))),
  }
}
