import { answersOfText } from './answer-of-text.ts'
import type { Scenario } from './scenario.ts'

const question = 'Who wrote the first program, and when?'
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, year: { type: 'integer' } },
  required: ['name', 'year'],
  additionalProperties: false,
}
const pieces = ['{"name": "Ada', ' Lovelace",', ' "year": 1843}']
const count = { input: 40, output: 14 }

/** Answer that follows a schema. */
export const structuredOutput: Scenario = {
  name: 'structured-output',
  requests: {
    'chat-completions': {
      messages: [{ role: 'user', content: question }],
      response_format: { type: 'json_schema', json_schema: { name: 'author', strict: true, schema } },
    },
    messages: {
      max_tokens: 256,
      messages: [{ role: 'user', content: question }],
      output_config: { format: { type: 'json_schema', schema } },
    },
    responses: { input: question, text: { format: { type: 'json_schema', name: 'author', strict: true, schema } } },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: question }] }],
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: 'OBJECT',
          properties: { name: { type: 'STRING' }, year: { type: 'INTEGER' } },
          required: ['name', 'year'],
        },
      },
    },
  },
  asked: { said: [{ role: 'user', text: question }], schema },
  answers: answersOfText(pieces, count),
  meaning: { text: pieces.join(''), reasoning: '', calls: [], finish: 'stop', usage: count },
}
