import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import type { Target } from '../../src/canonical/target.ts'
import { HeadgateError } from '../../src/errors.ts'
import { formats } from '../../src/formats/index.ts'
import { cpuOf } from '../laws/cpu.ts'

/** So many that work which grows with their square takes seconds. */
const MANY = 10_000
/** More than a function takes as arguments. */
const VERY_MANY = 150_000

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const TARGETS: Readonly<Record<string, Target>> = {
  'chat-completions': { model: 'gpt-4.1' },
  messages: { model: 'claude-opus-5', signer: 'claude' },
  'generate-content': { model: 'gemini-3-flash', signer: 'gemini' },
}

const chat = (...messages: Json[]): Json => ({ model: 'm', messages: [...messages, { role: 'user', content: 'x' }] })
const claude = (...messages: Json[]): Json => ({
  model: 'm',
  max_tokens: 1,
  messages: [{ role: 'user', content: 'x' }, ...messages],
})
const gemini = (...contents: Json[]): Json => ({ contents: [{ role: 'user', parts: [{ text: 'x' }] }, ...contents] })
const chatCall = (index: number): Json => ({
  id: `c${index}`,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
})
const text = { type: 'text', text: 'x' }

const REQUESTS: readonly (readonly [string, string, Json])[] = [
  [
    'calls in one turn',
    'chat-completions',
    chat(
      { role: 'assistant', tool_calls: list(MANY, chatCall) },
      ...list(MANY, (index) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'x' })),
    ),
  ],
  [
    'answers with calls, one after the other',
    'chat-completions',
    chat(
      ...list(MANY, (index) => ({ role: 'assistant', content: 'x', tool_calls: [chatCall(index)] })),
      ...list(MANY, (index) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'x' })),
    ),
  ],
  [
    'system messages, then user messages',
    'chat-completions',
    chat(
      { role: 'user', content: 'x' },
      ...list(MANY, () => ({ role: 'system', content: 'x' })),
      ...list(MANY, () => ({ role: 'user', content: 'x' })),
    ),
  ],
  [
    'citations of many texts',
    'chat-completions',
    chat({
      role: 'assistant',
      content: list(MANY, () => text),
      annotations: list(MANY, (index) => ({
        type: 'url_citation',
        url_citation: { url: 'https://x.test', start_index: index, end_index: index + 1 },
      })),
    }),
  ],
  [
    'tools that may be called',
    'chat-completions',
    {
      ...chat(),
      tools: list(MANY, (index) => ({ type: 'function', function: { name: `f${index}` } })),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: list(MANY, (index) => ({ type: 'function', function: { name: `f${index}` } })),
        },
      },
    },
  ],
  ['parts in one message', 'chat-completions', chat({ role: 'user', content: list(VERY_MANY, () => text) })],
  [
    'calls of one id',
    'messages',
    claude(
      { role: 'assistant', content: list(MANY, () => ({ type: 'tool_use', id: 'a', name: 'f', input: {} })) },
      { role: 'user', content: list(MANY, () => ({ type: 'tool_result', tool_use_id: 'a' })) },
    ),
  ],
  ['blocks in one message', 'messages', claude({ role: 'user', content: list(VERY_MANY, () => text) })],
  ['blocks in the system prompt', 'messages', { ...claude(), system: list(VERY_MANY, () => text) }],
  [
    'calls without ids',
    'generate-content',
    gemini(
      { role: 'model', parts: list(MANY, () => ({ functionCall: { name: 'f' } })) },
      { parts: list(MANY, (index) => ({ functionResponse: { id: `unknown ${index}`, name: 'f', response: {} } })) },
    ),
  ],
  ['parts in one turn', 'generate-content', gemini({ parts: list(VERY_MANY, () => ({ text: 'x' })) })],
]

describe('A request with very many', () => {
  it.each(REQUESTS)('%s (%s) is written in every format in no time, or refused', (_, id, body) => {
    const write = (): void => {
      const request = formats.get(id)?.readRequest(body, { model: 'm' })
      for (const [to, target] of Object.entries(TARGETS)) {
        try {
          expect(request && formats.get(to)?.writeRequest(request, target, []).body).toBeTypeOf('object')
        } catch (error) {
          if (!HeadgateError.is(error) || error.kind !== 'invalid-request') throw error
        }
      }
    }
    expect(cpuOf(write, 1)).toBeLessThan(1250)
  })
})

const DEPTH = 20_000
const nested = (open: string, close: string): unknown => JSON.parse(`${open.repeat(DEPTH)}1${close.repeat(DEPTH)}`)
const schema = nested('{"type":"object","properties":{"a":', '}}')

/**
 * Where a request is nested deeper than the stack goes; the edge refuses such bodies, who translates without it needs
 * this.
 */
const DEEP: readonly (readonly [string, string, Json])[] = [
  ['a field that is not known', 'chat-completions', { ...chat(), x: nested('[', ']') }],
  [
    'the schema of a tool',
    'chat-completions',
    { ...chat(), tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: schema } }] },
  ],
  [
    'a grammar',
    'chat-completions',
    { ...chat(), tools: [{ type: 'custom', custom: { name: 'f', format: { type: 'grammar', grammar: schema } } }] },
  ],
  ['the schema of the answer', 'messages', { ...claude(), output_config: { format: { type: 'json_schema', schema } } }],
  [
    'the input of a call',
    'messages',
    claude(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { a: nested('[', ']') } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ),
  ],
  [
    'a result within results',
    'messages',
    claude({ role: 'user', content: nested('[{"type":"tool_result","tool_use_id":"a","content":', '}]') }),
  ],
  [
    'parameters',
    'generate-content',
    { ...gemini(), tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }] },
  ],
  [
    'the arguments of a call',
    'generate-content',
    gemini({ role: 'model', parts: [{ functionCall: { name: 'f', args: { a: nested('[', ']') } } }] }),
  ],
]

describe('A request that is nested too deep in', () => {
  it.each(DEEP)('%s (%s) is written or refused, and breaks nothing', (_, id, body) => {
    for (const [to, target] of Object.entries(TARGETS)) {
      try {
        const request = formats.get(id)?.readRequest(body, { model: 'm' })
        if (request) formats.get(to)?.writeRequest(request, target, [])
      } catch (error) {
        expect(error).toMatchObject({ kind: 'invalid-request', param: expect.any(String) })
      }
    }
  })
})
