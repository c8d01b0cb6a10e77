import { answersOfText } from './answer-of-text.ts'
import { toolCall } from './chat-completions.ts'
import type { Scenario } from './scenario.ts'
import { offers, weather } from './weather.ts'

const question = 'Is it warmer in Oslo or in Rome?'
const results = ['4 °C, snow', '18 °C, clear'] as const
const pieces = ['It is warmer', ' in Rome.']
const count = { input: 131, output: 8 }
const { name } = weather

/** Tool results, each for its own call. */
export const toolResult: Scenario = {
  name: 'tool-result',
  requests: {
    'chat-completions': {
      messages: [
        { role: 'user', content: question },
        {
          role: 'assistant',
          content: null,
          tool_calls: [toolCall('call_oslo', name, '{"city":"Oslo"}'), toolCall('call_rome', name, '{"city":"Rome"}')],
        },
        { role: 'tool', tool_call_id: 'call_oslo', content: results[0] },
        { role: 'tool', tool_call_id: 'call_rome', content: results[1] },
      ],
      ...offers['chat-completions'],
    },
    messages: {
      max_tokens: 256,
      messages: [
        { role: 'user', content: question },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'toolu_oslo', name, input: { city: 'Oslo' } },
            { type: 'tool_use', id: 'toolu_rome', name, input: { city: 'Rome' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_oslo', content: results[0] },
            { type: 'tool_result', tool_use_id: 'toolu_rome', content: [{ type: 'text', text: results[1] }] },
          ],
        },
      ],
      ...offers.messages,
    },
    responses: {
      input: [
        { role: 'user', content: question },
        { type: 'function_call', call_id: 'call_oslo', name, arguments: '{"city":"Oslo"}' },
        { type: 'function_call', call_id: 'call_rome', name, arguments: '{"city":"Rome"}' },
        { type: 'function_call_output', call_id: 'call_oslo', output: results[0] },
        { type: 'function_call_output', call_id: 'call_rome', output: [{ type: 'input_text', text: results[1] }] },
      ],
      ...offers.responses,
    },
    'generate-content': {
      contents: [
        { role: 'user', parts: [{ text: question }] },
        {
          role: 'model',
          parts: [
            { functionCall: { name, args: { city: 'Oslo' } } },
            { functionCall: { name, args: { city: 'Rome' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name, response: { output: results[0] } } },
            { functionResponse: { name, response: { output: results[1] } } },
          ],
        },
      ],
      ...offers['generate-content'],
    },
  },
  asked: {
    said: [
      { role: 'user', text: question },
      { role: 'assistant', call: { name, arguments: { city: 'Oslo' } } },
      { role: 'assistant', call: { name, arguments: { city: 'Rome' } } },
      { role: 'user', result: results[0], of: 0 },
      { role: 'user', result: results[1], of: 1 },
    ],
    tools: [weather],
  },
  answers: answersOfText(pieces, count),
  meaning: { text: pieces.join(''), reasoning: '', calls: [], finish: 'stop', usage: count },
}
