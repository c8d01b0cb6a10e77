import { callPiece, callStart, completion, toolCall } from './chat-completions.ts'
import { generated } from './generate-content.ts'
import { message, textBlock, toolUseBlock } from './messages.ts'
import { callItem, messageItem, response } from './responses.ts'
import type { Scenario } from './scenario.ts'
import { offers, weather } from './weather.ts'

const question = 'Is it warmer in Oslo or in Rome?'
const preface = ['I will look', ' at both.']
const first = ['{"city":', '"Oslo"}']
const second = ['{"city"', ':"Rome"}']
const count = { input: 75, output: 48 }
const calls = [{ city: 'Oslo' }, { city: 'Rome' }].map((args) => ({ functionCall: { name: weather.name, args } }))

/** Two parallel tool calls after a sentence. Chat completions can interleave the fragments of both calls. */
export const parallelTools: Scenario = {
  name: 'parallel-tools',
  requests: {
    'chat-completions': { messages: [{ role: 'user', content: question }], ...offers['chat-completions'] },
    messages: { max_tokens: 256, messages: [{ role: 'user', content: question }], ...offers.messages },
    responses: { input: question, ...offers.responses },
    'generate-content': { contents: [{ role: 'user', parts: [{ text: question }] }], ...offers['generate-content'] },
  },
  asked: { said: [{ role: 'user', text: question }], tools: [weather] },
  answers: {
    'chat-completions': completion({
      message: {
        content: preface.join(''),
        tool_calls: [
          toolCall('call_oslo', weather.name, first.join('')),
          toolCall('call_rome', weather.name, second.join('')),
        ],
      },
      deltas: [
        ...preface.map((content) => ({ content })),
        callStart(0, 'call_oslo', weather.name),
        callPiece(0, '{"city":'),
        callStart(1, 'call_rome', weather.name),
        callPiece(1, '{"city"'),
        callPiece(0, '"Oslo"}'),
        callPiece(1, ':"Rome"}'),
      ],
      finish: 'tool_calls',
      count,
    }),
    messages: message({
      blocks: [
        textBlock(preface),
        toolUseBlock('toolu_oslo', weather.name, first),
        toolUseBlock('toolu_rome', weather.name, second),
      ],
      stop: 'tool_use',
      count,
    }),
    responses: response({
      items: [
        messageItem(preface),
        callItem('call_oslo', weather.name, first),
        callItem('call_rome', weather.name, second),
      ],
      count,
    }),
    'generate-content': generated({
      parts: [{ text: preface.join('') }, ...calls],
      chunks: [...preface.map((text) => [{ text }]), calls],
      finish: 'STOP',
      count,
    }),
  },
  meaning: {
    text: preface.join(''),
    reasoning: '',
    calls: [
      { name: weather.name, arguments: { city: 'Oslo' } },
      { name: weather.name, arguments: { city: 'Rome' } },
    ],
    finish: 'tool-calls',
    usage: count,
  },
}
