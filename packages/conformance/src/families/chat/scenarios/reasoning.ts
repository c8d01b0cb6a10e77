import { callPiece, callStart, completion, toolCall } from './chat-completions.ts'
import { generated } from './generate-content.ts'
import { message, textBlock, thinkingBlock, toolUseBlock } from './messages.ts'
import { callItem, messageItem, reasoningItem, response } from './responses.ts'
import type { Scenario } from './scenario.ts'
import { offers, weather } from './weather.ts'

const question = 'Do I need a coat in Bergen?'
const thoughts = ['Bergen is rainy; ', 'I should look.']
const preface = ['Let me look.']
const pieces = ['{"city":"Ber', 'gen"}']
const args = { city: 'Bergen' }
const count = { input: 90, output: 64, reasoning: 30 }

/** Standard base64, as both vendors that sign reasoning write it. */
export const SIGNATURE = Buffer.from('opaque proof of a thought').toString('base64')

/**
 * Reasoning, a sentence and a call. Two vendors sign the reasoning and require the signature with the call.
 *
 * Chat completions has no field for reasoning; `reasoning_content` is from DeepSeek's documentation.
 *
 * @see https://api-docs.deepseek.com/guides/reasoning_model
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const reasoning: Scenario = {
  name: 'reasoning',
  requests: {
    'chat-completions': {
      messages: [{ role: 'user', content: question }],
      reasoning_effort: 'high',
      max_completion_tokens: 8000,
      ...offers['chat-completions'],
    },
    messages: {
      max_tokens: 8000,
      thinking: { type: 'enabled', budget_tokens: 4096 },
      messages: [{ role: 'user', content: question }],
      ...offers.messages,
    },
    responses: {
      input: question,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 8000,
      ...offers.responses,
    },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: question }] }],
      generationConfig: { maxOutputTokens: 8000, thinkingConfig: { includeThoughts: true, thinkingBudget: 4096 } },
      ...offers['generate-content'],
    },
  },
  asked: { said: [{ role: 'user', text: question }], tools: [weather], maxTokens: 8000, reasoning: true },
  answers: {
    'chat-completions': completion({
      message: {
        content: preface.join(''),
        reasoning_content: thoughts.join(''),
        tool_calls: [toolCall('call_bergen', weather.name, pieces.join(''))],
      },
      deltas: [
        ...thoughts.map((reasoning_content) => ({ reasoning_content })),
        ...preface.map((content) => ({ content })),
        callStart(0, 'call_bergen', weather.name),
        ...pieces.map((piece) => callPiece(0, piece)),
      ],
      finish: 'tool_calls',
      count,
    }),
    messages: message({
      blocks: [
        thinkingBlock(thoughts, SIGNATURE),
        textBlock(preface),
        toolUseBlock('toolu_bergen', weather.name, pieces),
      ],
      stop: 'tool_use',
      count,
    }),
    responses: response({
      items: [reasoningItem(thoughts, SIGNATURE), messageItem(preface), callItem('call_bergen', weather.name, pieces)],
      count,
    }),
    'generate-content': generated({
      parts: [
        { text: thoughts.join(''), thought: true },
        { text: preface.join('') },
        { functionCall: { name: weather.name, args }, thoughtSignature: SIGNATURE },
      ],
      chunks: [
        ...thoughts.map((text) => [{ text, thought: true }]),
        ...preface.map((text) => [{ text }]),
        [{ functionCall: { name: weather.name, args }, thoughtSignature: SIGNATURE }],
      ],
      finish: 'STOP',
      count,
    }),
  },
  meaning: {
    text: preface.join(''),
    reasoning: thoughts.join(''),
    calls: [{ name: weather.name, arguments: args }],
    finish: 'tool-calls',
    usage: { input: count.input, output: count.output },
  },
}
