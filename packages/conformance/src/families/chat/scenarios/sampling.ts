import { completionOfText } from './chat-completions.ts'
import { generatedText } from './generate-content.ts'
import { messageOfText } from './messages.ts'
import { responseOfText } from './responses.ts'
import type { Scenario } from './scenario.ts'

const question = 'Count upwards from one.'
const pieces = ['one, two, ', 'three, four,']
const count = { input: 12, output: 9 }
const stop = ['hundred']

/** Output limits, and an answer that reaches one of them. */
export const sampling: Scenario = {
  name: 'sampling',
  requests: {
    'chat-completions': {
      messages: [{ role: 'user', content: question }],
      max_completion_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop,
    },
    messages: {
      messages: [{ role: 'user', content: question }],
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: stop,
    },
    responses: { input: question, max_output_tokens: 9, temperature: 0.5, top_p: 0.9 },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: question }] }],
      generationConfig: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: stop },
    },
  },
  asked: { said: [{ role: 'user', text: question }], maxTokens: 9, temperature: 0.5, topP: 0.9, stop },
  answers: {
    'chat-completions': completionOfText(pieces, count, 'length'),
    messages: messageOfText(pieces, count, 'max_tokens'),
    responses: responseOfText(pieces, count, 'max_output_tokens'),
    'generate-content': generatedText(pieces, count, 'MAX_TOKENS'),
  },
  meaning: { text: pieces.join(''), reasoning: '', calls: [], finish: 'length', usage: count },
}
