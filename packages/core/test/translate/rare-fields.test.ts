import { describe, expect, it } from 'vitest'
import { HeadgateError, type Json, type TranslatedFormat, translateRequest } from '../../src/translate.ts'
import { hasPair, hasText, indexed, isCarried } from '../recordings/carried.ts'
import { REQUEST_RULES, TOGETHER } from '../recordings/request-rules.ts'
import { inventedLosses, type Rule, silentLosses, type Test } from '../recordings/silent.ts'
import { CHAT } from './rare/chat.ts'
import { GENERATE } from './rare/generate.ts'
import { MESSAGES } from './rare/messages.ts'
import { RESPONSES } from './rare/responses.ts'
import { mark, type Table } from './rare/table.ts'

/** How closely an image is looked at, in the other format's word. */
const resolution: Test = ({ value }, sent) => {
  const word = String(value).replace('MEDIA_RESOLUTION_', '').toLowerCase()
  return hasPair(sent, 'level', `MEDIA_RESOLUTION_${word}`) || hasPair(sent, 'detail', word)
}
/** Whether the one tool that may be called is the one that has to be. */
const onlyTool: Test = (_, sent) =>
  /"(type|mode)":"(tool|any|custom|required)"/i.test(
    JSON.stringify(sent.body['tool_choice'] ?? sent.body['toolConfig']),
  )

/** Rules for what recorded traffic does not have. */
const RARE: Readonly<Record<TranslatedFormat, readonly Rule[]>> = {
  'chat-completions': [
    [/^service_tier$/, isCarried],
    [
      /^parallel_tool_calls$/,
      (leaf, sent) => leaf.value === true || isCarried(leaf, sent) || hasPair(sent, 'disable_parallel_tool_use', true),
    ],
    [/^tool_choice\.(type|allowed_tools\.(mode|tools\[\*\]\.type))$/, onlyTool],
    [/\.detail$/, resolution],
  ],
  messages: [
    [
      /^tool_choice\.disable_parallel_tool_use$/,
      ({ value }, sent) => value === false || hasPair(sent, 'parallel_tool_calls', false),
    ],
  ],
  'generate-content': [
    [
      /responseLogprobs$/,
      (leaf, ...rest) => leaf.value === false || isCarried(leaf, rest[0]) || hasText(rest[0], 'output_text.logprobs'),
    ],
    [
      /thinkingBudget$/,
      ({ value }, { body }) =>
        value === -1 || Boolean(body['reasoning_effort'] ?? body['reasoning'] ?? body['thinking']),
    ],
    [/mediaResolution\.level$/, resolution],
  ],
  responses: [[/\.detail$/, resolution]],
}

const TABLES: Readonly<Record<TranslatedFormat, Table>> = {
  'chat-completions': CHAT,
  messages: MESSAGES,
  'generate-content': GENERATE,
  responses: RESPONSES,
}
const MODELS: Readonly<Record<TranslatedFormat, readonly string[]>> = {
  'chat-completions': ['gpt-4o', 'gpt-5.4'],
  messages: ['claude-sonnet-4-5', 'claude-opus-4-8'],
  'generate-content': ['gemini-2.5-flash', 'gemini-3.5-flash'],
  responses: ['gpt-4o', 'gpt-5.4'],
}
const FORMATS = Object.keys(TABLES) as TranslatedFormat[]

/** What of a request is lost in silence, and what is said to be lost and is not there. */
function untold(body: Json, from: TranslatedFormat, to: TranslatedFormat, model: string): string[] {
  try {
    const { body: sent, lost, fetch } = translateRequest(body, { from, to, model, stream: body['stream'] === true })
    if (!sent) return fetch.length > 0 ? [] : ['there is no body']
    const paths = lost.map(({ path }) => path)
    const together = TOGETHER[from].filter(([first]) => paths.includes(first)).map(([, second]) => second)
    return [
      ...silentLosses(body, indexed(to, sent), [...RARE[from], ...REQUEST_RULES[from]], [...paths, ...together]),
      ...inventedLosses(body, lost),
    ]
  } catch (error) {
    if (HeadgateError.is(error) && error.status === 400) return []
    throw error
  }
}

describe('Fields that are rarely sent', () => {
  const directions = FORMATS.flatMap((from) => FORMATS.filter((to) => to !== from).map((to) => ({ from, to })))

  it.each(directions)('of $from are told to $to, or named as lost, or refused', ({ from, to }) => {
    const { base, fields } = TABLES[from]
    const problems = fields.flatMap((more) =>
      MODELS[to].flatMap((model) =>
        untold({ ...base, ...more }, from, to, model).map(
          (problem) => `${JSON.stringify(more)} to ${model}: ${problem}`,
        ),
      ),
    )
    expect(problems).toEqual([])
  })
})

describe('A system prompt for a server that takes it as plain text', () => {
  const facts = { plainSystem: true }
  const pathsLost = (body: Json, from: TranslatedFormat) =>
    translateRequest(body, { from, to: 'chat-completions', model: 'small', facts }).lost.map(({ path }) => path)

  it('loses what is not text, and each is named', () => {
    const asked = { model: 'small', max_tokens: 5, messages: [{ role: 'user', content: 'Go' }] }
    const cited = {
      type: 'text',
      text: 'Be kind',
      cache_control: mark,
      citations: [{ type: 'char_location', cited_text: 'kind' }],
    }
    expect(pathsLost({ ...asked, system: [cited] }, 'messages')).toEqual([
      'system[0].cache_control',
      'system[0].citations',
    ])
    const contents = [{ role: 'user', parts: [{ text: 'Go' }] }]
    const parts = [{ text: 'Be kind', partMetadata: { rare: 'metadata' } }]
    expect(pathsLost({ contents, systemInstruction: { parts } }, 'generate-content')).toEqual([
      'systemInstruction.parts[0].partMetadata',
    ])
  })

  it('in its own format as well', () => {
    const system = {
      role: 'system',
      name: 'rare_name',
      content: [{ type: 'text', text: 'Be kind', tone: 'rare' }],
      mood: 'rare',
    }
    const messages = [system, { role: 'user', content: 'Go' }, system]
    expect(pathsLost({ model: 'small', messages }, 'chat-completions')).toEqual([
      'messages[0].name',
      'messages[0].mood',
      'messages[0].content[0].tone',
      'messages[2]',
      'messages[2].name',
      'messages[2].mood',
      'messages[2].content[0].tone',
    ])
  })
})
