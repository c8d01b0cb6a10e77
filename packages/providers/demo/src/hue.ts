/** Deterministic hue of a string, from 0 to 359. */
export function hueOf(words: string, seed = 0): number {
  let hash = seed % 360
  for (const letter of words) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return hash
}
