import type { Bound } from '../../pipeline/bound.ts'
import type { Asked } from '../../pipeline/family.ts'

/** How many tokens a list of numbers, or of such lists, is; undefined where there is anything else in it. */
function tokensIn(input: unknown): number | undefined {
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (input.every((one) => typeof one === 'number')) return input.length
  const lists = input.map(tokensIn)
  return lists.every((count) => count !== undefined) ? lists.reduce((sum, count) => sum + count, 0) : undefined
}

/** Texts have a token a byte at most; tokens are counted. */
export function boundOfEmbeddings({ body }: Asked): Bound | undefined {
  return body && { input: tokensIn(body.json['input']) ?? body.bytes.length, output: 0 }
}
