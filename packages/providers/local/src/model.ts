import type { Refused } from './messages.ts'

/** Name of the model. */
export const MODEL = 'universal-sentence-encoder-lite'
/** Length of a vector. */
export const DIMENSIONS = 512
/** Maximum number of tokens. The model would silently ignore further tokens. */
export const MOST_TOKENS = 128
/** Length of the longest token, in characters. */
const LONGEST_TOKEN = 16
/** Maximum number of characters. Longer inputs are not tokenized, because tokenizing takes quadratic time. */
export const MOST_CHARACTERS = MOST_TOKENS * LONGEST_TOKEN

/** Rejection of an input; `found` describes its length. */
export function tooLong(found: string): Refused {
  const message = `An input has ${found}; ${MODEL} accepts ${MOST_TOKENS} tokens per input, about 90 English words. Split the input.`
  return { refused: 'context-too-long', message }
}
