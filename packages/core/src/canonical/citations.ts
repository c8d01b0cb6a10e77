import type { Citation, Node } from './block.ts'
import { changed, dropped, type Loss, under } from './loss.ts'

/** Block that contains a position of a response's text. */
export interface BlockPosition {
  /** Index of the block. */
  readonly index: number
  /** Start of the block in the whole text, in UTF-16 code units. */
  readonly start: number
}

/**
 * Creates a function that finds the block at a position of the whole text. Undefined after the end. Empty blocks never
 * match.
 */
export function blockFinder(
  texts: readonly { readonly text: string }[],
): (position: number) => BlockPosition | undefined {
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

/** Declares the loss of a citation without a URL. */
export function loseCitation(node: Node, losses: Loss[]): void {
  dropped(losses, under(node, 'citations'), 'a citation needs a URL here')
}

/**
 * Declares the loss of details of written citations: details of the source format, and details that `missing` detects.
 */
export function loseDetails(
  node: Node,
  citations: readonly Citation[],
  format: string,
  missing: (citation: Citation) => boolean,
  losses: Loss[],
): void {
  const isPoorer = (citation: Citation): boolean =>
    citation.url !== undefined &&
    citation.extensions?.format !== format &&
    (citation.extensions !== undefined || missing(citation))
  if (citations.some(isPoorer))
    changed(losses, under(node, 'citations'), 'only the details that both formats support are sent')
}
