import type { DatabaseSync } from 'node:sqlite'
import { fold, phraseOf } from './terms.ts'

/** Maximum number of candidates for a correction. */
const MOST_CANDIDATES = 4_000
/** Maximum number of words to correct in a search. */
const MOST_WORDS = 2

/** Corrected query: each word that begins no word of the index is replaced by the nearest indexed word. */
export function correctionOf(db: DatabaseSync, q: string, isThorough: boolean): string | undefined {
  const beginning = db.prepare('SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT 1')
  const near = db.prepare(
    `SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? LIMIT ${MOST_CANDIDATES}`,
  )
  let corrected = 0
  const words = q.replace(/[\p{L}\p{N}\p{M}]+/gu, (written) => {
    const word = fold(written)
    const isOneWord = phraseOf(word)?.words.length === 1
    if (corrected >= MOST_WORDS || word.length < 3 || !isOneWord || beginning.get(word, `${word}\u{10ffff}`))
      return written
    const most = word.length <= 4 ? 1 : 2
    const nearTo = (beginning: string): string | undefined => {
      const rows = near.all(beginning, `${beginning}\u{10ffff}`, word.length - most, word.length + most)
      const candidates = rows.map(({ term, doc }) => ({ term: String(term), documents: Number(doc) }))
      return closest(word, most, candidates)
    }
    // The first letters are usually correct, and few words share them.
    const nearest =
      nearTo(word.slice(0, Math.min(3, word.length - 2))) ?? (isThorough ? nearTo(word.slice(0, 1)) : undefined)
    if (nearest === undefined) return written
    corrected++
    return nearest
  })
  return corrected > 0 ? words : undefined
}

interface CorrectionCandidate {
  readonly term: string
  readonly documents: number
}

/** Nearest candidate. A tie goes to the candidate in the most documents. */
function closest(word: string, most: number, candidates: readonly CorrectionCandidate[]): string | undefined {
  return candidates
    .map((candidate) => ({ ...candidate, distance: editDistance(word, candidate.term, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || b.documents - a.documents || (a.term < b.term ? -1 : 1))[0]?.term
}

/** Number of letters to add, remove, change or swap with their neighbor; `most` + 1 if it exceeds `most`. */
export function editDistance(a: string, b: string, most: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = [
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + same,
        isSwap ? at(before, j - 2) + 1 : most + 1,
      ]
      next.push(Math.min(...edits))
    }
    if (Math.min(...next) > most) return most + 1
    before = row
    row = next
  }
  return Math.min(at(row, b.length), most + 1)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
