import { answersOfText } from './answer-of-text.ts'
import { png } from './bytes.ts'
import type { Scenario } from './scenario.ts'

const question = 'Which color is this?'
const data = png()
const pieces = ['Re', 'd.']
const count = { input: 266, output: 2 }

/** Request with an image. */
export const image: Scenario = {
  name: 'image',
  requests: {
    'chat-completions': {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
          ],
        },
      ],
    },
    messages: {
      max_tokens: 256,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          ],
        },
      ],
    },
    responses: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: question },
            { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' },
          ],
        },
      ],
    },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: question }, { inlineData: { mimeType: 'image/png', data } }] }],
    },
  },
  asked: {
    said: [
      { role: 'user', text: question },
      { role: 'user', media: 'image/png', base64: data },
    ],
  },
  answers: answersOfText(pieces, count),
  meaning: { text: 'Red.', reasoning: '', calls: [], finish: 'stop', usage: count },
}
