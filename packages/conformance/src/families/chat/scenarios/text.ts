import { answersOfText } from './answer-of-text.ts'
import type { Scenario } from './scenario.ts'

const question = 'Wie heißt „fox“ auf Japanisch? 🦊'
const pieces = ['Auf Japanisch', ' heißt er „', '狐', '“ (kitsune). ', '🦊', '\n']
const count = { input: 18, output: 12 }

/** Question and answer with characters beyond ASCII, to reveal bytes that are split wrongly. */
export const text: Scenario = {
  name: 'text',
  requests: {
    'chat-completions': { messages: [{ role: 'user', content: question }] },
    messages: { max_tokens: 256, messages: [{ role: 'user', content: question }] },
    responses: { input: question },
    'generate-content': { contents: [{ role: 'user', parts: [{ text: question }] }] },
  },
  asked: { said: [{ role: 'user', text: question }] },
  answers: answersOfText(pieces, count),
  meaning: { text: pieces.join(''), reasoning: '', calls: [], finish: 'stop', usage: count },
}
