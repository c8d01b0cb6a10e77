import type { Citation, Node } from './block.ts'
import { changed, dropped, type Loss, under } from './loss.ts'

/** A block of text within the whole text of an answer. */
export interface Place {
  /** Index of the block. */
  readonly index: number
  /** Where the block starts in the whole, in UTF-16 code units. */
  readonly start: number
}

/**
 * Finds the block in which a position of the whole text lies; undefined beyond the end. Blocks without text hold
 * nothing.
 */
export function placer(texts: readonly { readonly text: string }[]): (position: number) => Place | undefined {
  const ends: number[] = []
  let length = 0
  for (const { text } of texts) {
    length += text.length
    ends.push(length)
  }
  return (position) => {
    if (position >= length) return undefined
    let low = 0
    let high = ends.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) > position) high = middle
      else low = middle + 1
    }
    return { index: low, start: low === 0 ? 0 : (ends[low - 1] ?? 0) }
  }
}

/** Declares that a citation of a node is not told, since formats name a source by its address. */
export function loseCitation(node: Node, losses: Loss[]): void {
  dropped(losses, under(node, 'citations'), 'a citation needs a URL here')
}

/**
 * Declares what citations that are told have no place for: what their own format says beyond source and passage, and of
 * that what `missing` finds.
 */
export function loseDetails(
  node: Node,
  citations: readonly Citation[],
  format: string,
  missing: (citation: Citation) => boolean,
  losses: Loss[],
): void {
  const isPoorer = (citation: Citation): boolean =>
    citation.url !== undefined && citation.side?.format !== format && (citation.side !== undefined || missing(citation))
  if (citations.some(isPoorer))
    changed(losses, under(node, 'citations'), 'of a citation only what both formats know is told')
}
