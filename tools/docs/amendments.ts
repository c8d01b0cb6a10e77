import type { Edit } from '../../packages/core/src/canonical/format.ts'
import type { Json } from '../../packages/core/src/canonical/json.ts'
import type { Target } from '../../packages/core/src/canonical/target.ts'
import { formats } from '../../packages/core/src/formats/index.ts'
import { code, table } from './markdown.ts'

interface Case {
  readonly format: string
  readonly what: string
  readonly body: Json
  readonly target: Target
}

const gpt: Target = { model: 'gpt-4.1' }
const file = { type: 'file', file: { file_data: 'JVBERi0xLjQ=' } }

const CASES: readonly Case[] = [
  {
    format: 'chat-completions',
    what: 'a document is bare base64',
    body: { messages: [{ role: 'user', content: [file] }] },
    target: gpt,
  },
  {
    format: 'chat-completions',
    what: 'a stream does not request usage; the caller does not get the usage frame',
    body: { messages: [], stream: true },
    target: gpt,
  },
  {
    format: 'messages',
    what: '`max_tokens` is missing: the limit of the model',
    body: { messages: [] },
    target: { model: 'claude-sonnet-4-6', limits: { id: 'claude-sonnet-4-6', output: 64_000 } },
  },
  {
    format: 'generate-content',
    what: '`contents` is one object',
    body: { contents: { role: 'user', parts: [{ text: 'Hello.' }] } },
    target: { model: 'gemini-3.5-flash' },
  },
  {
    format: 'generate-content',
    what: '`safetySettings` is one object',
    body: { contents: [], safetySettings: { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' } },
    target: { model: 'gemini-3.5-flash' },
  },
  {
    format: 'responses',
    what: 'a document is bare base64',
    body: { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBERi0xLjQ=' }] }] },
    target: gpt,
  },
]

/** Changes to a body whose bytes otherwise pass. */
export function amendmentsTable(): string {
  const rows = CASES.map(({ format, what, body, target }) => {
    const edits = formats.get(format)?.normalize(body, target).edits ?? []
    if (edits.length === 0) throw new Error(`${format}: no edit for the case "${what}". Fix tools/docs/amendments.ts.`)
    return [format, what, edits.map(editText).join('<br>')]
  })
  return table(['format', 'input', 'sent to the provider'], rows)
}

function editText({ path, value }: Edit): string {
  const name = path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  )
  return code(`${name}: ${JSON.stringify(value)}`)
}
