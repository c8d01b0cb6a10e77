/** Maximum length of a passage in characters. */
const LONGEST = 2_000

/** Splits text into passages of at most 2,000 characters, between lines if possible, otherwise between words. */
export function passagesOf(text: string): string[] {
  const passages: string[] = []
  let start = 0
  while (start < text.length) {
    const end = cutAfter(text, start)
    const passage = text.slice(start, end).trim()
    if (passage !== '') passages.push(passage)
    start = end
  }
  return passages
}

function cutAfter(text: string, start: number): number {
  const limit = start + LONGEST
  if (limit >= text.length) return text.length
  const earliest = start + LONGEST / 2
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, limit - 1)
    if (at >= earliest) return at + 1
  }
  const isLowSurrogate = (text.charCodeAt(limit) & 0xfc00) === 0xdc00
  return isLowSurrogate ? limit - 1 : limit
}
