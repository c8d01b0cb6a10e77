import type { Asked, Bound } from '../../cost/bound.ts'

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

/** What stands around a text in a body: quotes and a comma. */
const AROUND = 3

/** A part of them: of all parts it is no more than of the whole. */
export function boundOfInputs(inputs: readonly (string | readonly number[])[]): Bound {
  let input = 0
  for (const one of inputs) input += typeof one === 'string' ? Buffer.byteLength(one) + AROUND : one.length
  return { input, output: 0 }
}
