import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const HELLO: Json = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

function refusal(fields: Json): HeadgateError {
  try {
    chatCompletions.readRequest({ ...HELLO, ...fields })
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  throw new Error('The request was read.')
}

const tool = (name: string): Json => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
})

describe('a chat completions request that is wrong', () => {
  const message = (content: unknown, role = 'user') => ({ messages: [{ role, content }] })

  it.each<[string, Json, string]>([
    ['no model', { model: undefined }, 'model'],
    ['no messages', { messages: [] }, 'messages'],
    ['messages that are no list', { messages: 'hi' }, 'messages'],
    ['an unknown role', message('x', 'robot'), 'messages[0].role'],
    ['content of a wrong type', message(5), 'messages[0].content'],
    [
      'case 141: an unknown part',
      message([{ type: 'text', text: 'a' }, { type: 'video_url' }]),
      'messages[0].content[1].type',
    ],
    ['a text without text', message([{ type: 'text' }]), 'messages[0].content[0].text'],
    [
      'a malformed data URL',
      message([{ type: 'image_url', image_url: { url: 'data:image/png;base64,a!' } }]),
      'messages[0].content[0].image_url.url',
    ],
    [
      'a URL that is none',
      message([{ type: 'image_url', image_url: { url: 'cat.png' } }]),
      'messages[0].content[0].image_url.url',
    ],
    [
      'a file that is no base64',
      message([{ type: 'file', file: { file_data: '<pdf>' } }]),
      'messages[0].content[0].file.file_data',
    ],
    [
      'arguments that are an object',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }] },
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a result without its call', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [
      'a function result without its call',
      { messages: [{ role: 'function', name: 'f', content: 'x' }] },
      'messages[0].name',
    ],
    ['case 67: an unknown tool choice', { tools: [tool('a')], tool_choice: 'sometimes' }, 'tool_choice'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    ['a tool with a blank name', { tools: [tool(' ')] }, 'tools[0].function.name'],
    ['a custom tool with a blank name', { tools: [{ type: 'custom', custom: { name: '' } }] }, 'tools[0].custom.name'],
    [
      'a call with a blank name',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: '', arguments: '{}' } }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    ['a temperature of text', { temperature: 'hot' }, 'temperature'],
    ['half an answer', { n: 0.5 }, 'n'],
    ['stop that is a number', { stop: ['a', 5] }, 'stop[1]'],
    ['an unknown effort', { reasoning_effort: 'huge' }, 'reasoning_effort'],
    ['an unknown response format', { response_format: { type: 'xml' } }, 'response_format.type'],
    ['alternatives without log probabilities', { top_logprobs: 3 }, 'top_logprobs'],
    ['a spoken answer', { modalities: ['text', 'audio'] }, 'modalities'],
  ])('%s is a 400 that names the field', (_, fields, param) => {
    const error = refusal(fields)
    expect(error).toMatchObject({ kind: 'invalid-request', status: 400, param })
    expect(error.message).toContain(param.replace(/\[\d\]$/, ''))
  })

  it('says what was found and what is allowed', () => {
    expect(refusal(message([{ type: 'video_url' }])).message).toBe(
      'messages[0].content[0].type is "video_url", which is not supported. Allowed: "text", "image_url", "input_audio", "file".',
    )
  })
})
