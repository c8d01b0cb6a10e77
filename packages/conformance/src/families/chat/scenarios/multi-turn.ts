import { answersOfText } from './answer-of-text.ts'
import type { Scenario } from './scenario.ts'

const turns = ['My name is Ada.', 'Hello, Ada.', 'What is my name?'] as const
const pieces = ['Your name', ' is Ada.']
const count = { input: 27, output: 6 }

/** Conversation with several turns. */
export const multiTurn: Scenario = {
  name: 'multi-turn',
  requests: {
    'chat-completions': {
      messages: [
        { role: 'user', content: turns[0] },
        { role: 'assistant', content: turns[1] },
        { role: 'user', content: turns[2] },
      ],
    },
    messages: {
      max_tokens: 256,
      messages: [
        { role: 'user', content: turns[0] },
        { role: 'assistant', content: turns[1] },
        { role: 'user', content: turns[2] },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: turns[0] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turns[1] }] },
        { role: 'user', content: turns[2] },
      ],
    },
    'generate-content': {
      contents: [
        { role: 'user', parts: [{ text: turns[0] }] },
        { role: 'model', parts: [{ text: turns[1] }] },
        { role: 'user', parts: [{ text: turns[2] }] },
      ],
    },
  },
  asked: {
    said: [
      { role: 'user', text: turns[0] },
      { role: 'assistant', text: turns[1] },
      { role: 'user', text: turns[2] },
    ],
  },
  answers: answersOfText(pieces, count),
  meaning: { text: 'Your name is Ada.', reasoning: '', calls: [], finish: 'stop', usage: count },
}
