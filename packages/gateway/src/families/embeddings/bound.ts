import type { CostInput, UsageBound } from '../../cost/bound.ts'

/** Number of tokens in a token list or a list of token lists; undefined for any other input. */
function tokensIn(input: unknown): number | undefined {
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (input.every((one) => typeof one === 'number')) return input.length
  const lists = input.map(tokensIn)
  return lists.every((count) => count !== undefined) ? lists.reduce((sum, count) => sum + count, 0) : undefined
}

/** Worst-case cost. A string has at most one token per byte; tokens are counted. */
export function boundOfEmbeddings({ body }: CostInput): UsageBound | undefined {
  return body && { input: tokensIn(body.json['input']) ?? body.bytes.length, output: 0 }
}

/** Bytes of quotes and comma around a string in a body. */
const AROUND = 3

/** Worst-case cost of one batch. The batches together cost at most as much as the whole body. */
export function boundOfInputs(inputs: readonly (string | readonly number[])[]): UsageBound {
  let input = 0
  for (const one of inputs) input += typeof one === 'string' ? Buffer.byteLength(one) + AROUND : one.length
  return { input, output: 0 }
}
