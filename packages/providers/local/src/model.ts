import type { Refused } from './messages.ts'

/** The model, as its authors call it. */
export const MODEL = 'universal-sentence-encoder-lite'
/** Numbers of a vector. */
export const DIMENSIONS = 512
/** Tokens that the model looks at; of a longer text it would leave out the rest without a word. */
export const MOST_TOKENS = 128
/** The longest token, in characters. */
const LONGEST_TOKEN = 16
/** Characters that can be so many tokens; a longer text is not tokenized, which would take time by their square. */
export const MOST_CHARACTERS = MOST_TOKENS * LONGEST_TOKEN

/** The refusal of a text; `found` says how much it has. */
export function tooLong(found: string): Refused {
  const message = `A text has ${found}; ${MODEL} takes ${MOST_TOKENS} tokens of each, about 90 English words. Send it in parts.`
  return { refused: 'context-too-long', message }
}
