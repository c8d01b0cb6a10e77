import type { BeginRecord, JournalRecord } from './record.ts'

/** The begins of requests that have not ended. */
export interface OpenBegins {
  /** Takes in the next record of a life. What was written again at the head of a segment counts once. */
  add(record: JournalRecord): void
  /** One for each call of an upstream. */
  all(): BeginRecord[]
  /** The same, as they are written again. */
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
    again: () => [...open.values()].flatMap((begins) => begins.map((begin, index) => ({ ...begin, again: index + 1 }))),
  }
}
