/** Most letters that a slip adds, leaves out or changes. */
const SLIPS = 2

/**
 * How many letters have to be added, left out, changed or swapped with their neighbour to get from one word to the
 * other.
 */
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

/**
 * The name that was meant by one that nobody knows; undefined where none is near: two slips at most, fewer in short
 * names.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  let best: { readonly name: string; readonly far: number } | undefined
  for (const one of known) {
    if (Math.abs(one.length - name.length) > SLIPS + 2) continue
    const far = distance(plain, one.toLowerCase())
    if (far <= Math.min(SLIPS, Math.floor(one.length / 3)) && far < (best?.far ?? Number.POSITIVE_INFINITY))
      best = { name: one, far }
  }
  return best?.name
}
