/** Maximum edits between a name and its correction. */
const EDITS = 3
/** Maximum length of names to compare. */
const LONGEST = 200

/** Edits between two names: characters to insert, delete, replace or swap with a neighbor. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/**
 * Correction of a misspelled name: the known name with the fewest edits. Case, `_` and `-` do not count. Undefined if
 * every known name needs more than 3 edits, or more than one for each three characters.
 * @example nearest('tempreature', ['temperature', 'top_p']) // 'temperature'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const word = plain(name)
  let best: string | undefined
  let least = EDITS + 1
  for (const one of known) {
    const other = plain(one)
    const limit = Math.min(least, Math.floor(other.length / 3) + 1)
    if (Math.abs(other.length - word.length) >= limit || other.length > LONGEST) continue
    const edits = distance(word, other)
    if (edits >= limit) continue
    best = one
    least = edits
  }
  return best
}
