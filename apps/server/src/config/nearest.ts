/** Longer names are not compared. */
const LONGEST = 200

/** Of several names the one that a word was most likely meant to be; undefined = none is near. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = Math.min(3, Math.floor(word.length / 3))
  let best: string | undefined
  let least = most + 1
  for (const name of names) {
    if (name === word || Math.abs(name.length - word.length) >= least || Math.max(name.length, word.length) > LONGEST)
      continue
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase())
    if (distance >= least) continue
    best = name
    least = distance
  }
  return best
}

/** Characters to insert, leave out or change, and neighbours to swap. */
function distanceOf(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const costs = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1)]
      next.push(Math.min(...costs, swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY))
    }
    before = row
    row = next
  }
  return at(row, other.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
