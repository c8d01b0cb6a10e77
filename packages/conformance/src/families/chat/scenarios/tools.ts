import { callPiece, callStart, completion, toolCall } from './chat-completions.ts'
import { generated } from './generate-content.ts'
import { message, toolUseBlock } from './messages.ts'
import { callItem, response } from './responses.ts'
import type { Scenario } from './scenario.ts'
import { offers, weather } from './weather.ts'

const question = 'How warm is it in Zürich?'
const called = { city: 'Zürich', unit: 'celsius' }
const pieces = ['{"city": "Zü', 'rich", "unit"', ': "celsius"}']
const count = { input: 71, output: 21 }

/** Tool call without text before it. */
export const tools: Scenario = {
  name: 'tools',
  requests: {
    'chat-completions': { messages: [{ role: 'user', content: question }], ...offers['chat-completions'] },
    messages: { max_tokens: 256, messages: [{ role: 'user', content: question }], ...offers.messages },
    responses: { input: question, ...offers.responses },
    'generate-content': { contents: [{ role: 'user', parts: [{ text: question }] }], ...offers['generate-content'] },
  },
  asked: { said: [{ role: 'user', text: question }], tools: [weather] },
  answers: {
    'chat-completions': completion({
      message: { content: null, tool_calls: [toolCall('call_zurich', weather.name, pieces.join(''))] },
      deltas: [callStart(0, 'call_zurich', weather.name), ...pieces.map((piece) => callPiece(0, piece))],
      finish: 'tool_calls',
      count,
    }),
    messages: message({ blocks: [toolUseBlock('toolu_zurich', weather.name, pieces)], stop: 'tool_use', count }),
    responses: response({ items: [callItem('call_zurich', weather.name, pieces)], count }),
    'generate-content': generated({
      parts: [{ functionCall: { name: weather.name, args: called } }],
      chunks: [[{ functionCall: { name: weather.name, args: called } }], [{ text: '' }]],
      finish: 'STOP',
      count,
    }),
  },
  meaning: {
    text: '',
    reasoning: '',
    calls: [{ name: weather.name, arguments: called }],
    finish: 'tool-calls',
    usage: count,
  },
}
