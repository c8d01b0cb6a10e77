import { answersOfText } from './answer-of-text.ts'
import { pdf as pdfOf } from './bytes.ts'
import type { Scenario } from './scenario.ts'

const question = 'What does the page say?'
const data = pdfOf('Mind the gap')
const pieces = ['Mind', ' the gap.']
const count = { input: 1621, output: 5 }

const shared = {
  asked: {
    said: [
      { role: 'user', text: question },
      { role: 'user', media: 'application/pdf', base64: data },
    ],
  },
  answers: answersOfText(pieces, count),
  meaning: { text: 'Mind the gap.', reasoning: '', calls: [], finish: 'stop', usage: count },
} as const satisfies Partial<Scenario>

const file = (file_data: string) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: question },
        { type: 'file', file: { filename: 'sign.pdf', file_data } },
      ],
    },
  ],
})

const input = (file_data: string) => ({
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: question },
        { type: 'input_file', filename: 'sign.pdf', file_data },
      ],
    },
  ],
})

const document = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: question },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
      ],
    },
  ],
}

const contents = [{ role: 'user', parts: [{ text: question }, { inlineData: { mimeType: 'application/pdf', data } }] }]

/** Request with a PDF, as the vendors document it. */
export const pdf: Scenario = {
  name: 'pdf',
  requests: {
    'chat-completions': file(`data:application/pdf;base64,${data}`),
    messages: { max_tokens: 256, ...document },
    'generate-content': { contents },
    responses: input(`data:application/pdf;base64,${data}`),
  },
  ...shared,
}

/**
 * The PDF request in forms that Headgate accepts and vendors reject: bare base64, no `max_tokens`, a single setting
 * instead of a list.
 */
export const amended: Scenario = {
  name: 'amended',
  requests: {
    'chat-completions': file(data),
    messages: document,
    responses: input(data),
    'generate-content': {
      contents,
      safetySettings: { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' },
    },
  },
  ...shared,
}
