import { answersOfText } from './answer-of-text.ts'
import type { Scenario } from './scenario.ts'

const rule = 'Answer in one word, in capitals.'
const question = 'Which planet is the largest?'
const pieces = ['JUPI', 'TER']
const count = { input: 2048, output: 3, cacheRead: 1920 }

/** System prompt, mostly read from the vendor's cache. */
export const system: Scenario = {
  name: 'system',
  requests: {
    'chat-completions': {
      messages: [
        { role: 'system', content: rule },
        { role: 'user', content: question },
      ],
    },
    messages: {
      max_tokens: 256,
      system: rule,
      messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
    },
    responses: { instructions: rule, input: question },
    'generate-content': {
      systemInstruction: { parts: [{ text: rule }] },
      contents: [{ role: 'user', parts: [{ text: question }] }],
    },
  },
  asked: {
    said: [
      { role: 'system', text: rule },
      { role: 'user', text: question },
    ],
  },
  answers: answersOfText(pieces, count),
  meaning: {
    text: 'JUPITER',
    reasoning: '',
    calls: [],
    finish: 'stop',
    usage: count,
  },
}
