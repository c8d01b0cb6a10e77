import { diffWordsWithSpace } from 'diff'

/** Part of two responses: in both, or in one of them. */
export interface DiffPart {
  readonly text: string
  readonly in: 'both' | 'first' | 'second'
}

/** Maximum length of each response in characters. */
const LONGEST = 100_000
/** Maximum number of words that differ. The time grows with it times the number of words. */
const MOST_EDITS = 2_000
/** Maximum time in milliseconds. */
const TIME = 300

/** Differences of two responses by word. Undefined if they are too long or differ too much. */
export function diffOf(first: string, second: string): readonly DiffPart[] | undefined {
  if (Math.max(first.length, second.length) > LONGEST) return undefined
  const changes = diffWordsWithSpace(first, second, { maxEditLength: MOST_EDITS, timeout: TIME })
  return changes?.map(({ value, added, removed }) => ({
    text: value,
    in: added ? 'second' : removed ? 'first' : 'both',
  }))
}
