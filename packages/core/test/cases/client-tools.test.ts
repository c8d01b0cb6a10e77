import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { type TranslatedFormat, translateResponse } from '../../src/translate.ts'
import { A, CLAUDE, G, GEMINI, GPT, O, send } from './way.ts'

const R = 'responses'

/**
 * Tools that Anthropic defines and the caller runs, with fields of a call, from
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use.
 */
const TOOLS: readonly (readonly [Json, string[]])[] = [
  [{ type: 'bash_20250124', name: 'bash' }, ['command', 'restart']],
  [
    { type: 'text_editor_20250124', name: 'str_replace_editor' },
    ['command', 'path', 'view_range', 'file_text', 'new_str'],
  ],
  [
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9000 },
    ['command', 'path', 'insert_line', 'insert_text', 'old_str'],
  ],
  [{ type: 'memory_20250818', name: 'memory' }, ['command', 'path', 'old_path', 'new_path', 'insert_text']],
  [
    { type: 'computer_20251124', name: 'computer', display_width_px: 1024, display_height_px: 768, enable_zoom: true },
    ['action', 'coordinate', 'scroll_direction', 'duration', 'region'],
  ],
]

interface Declared {
  readonly name: string
  readonly parameters: { readonly properties: Json }
}

/** The functions that a body declares. */
function functionsIn(to: TranslatedFormat, body: Json): Declared[] {
  const tools = body['tools'] as Json[]
  if (to === O) return tools.map((tool) => tool['function'] as Declared)
  if (to === R) return tools as unknown as Declared[]
  const declarations = tools[0]?.['functionDeclarations'] as Json[]
  return declarations.map(
    ({ name, parametersJsonSchema }) => ({ name, parameters: parametersJsonSchema }) as unknown as Declared,
  )
}

const asked = (tools: Json[]): Json => ({
  model: 'm',
  max_tokens: 99,
  messages: [{ role: 'user', content: 'Go' }],
  tools,
})

describe('Tools that Anthropic defines and the caller runs', () => {
  it.each<[TranslatedFormat, { model: string }]>([
    [O, GPT],
    [R, GPT],
    [G, GEMINI],
  ])('are functions with their published schemas for %s', (to, target) => {
    const { body, lost } = send(
      A,
      to,
      { ...asked(TOOLS.map(([tool]) => tool)), tool_choice: { type: 'tool', name: 'bash' } },
      target,
    )
    const functions = functionsIn(to, body)
    expect(functions.map(({ name }) => name)).toEqual(TOOLS.map(([tool]) => tool['name']))
    for (const [index, [, fields]] of TOOLS.entries())
      expect(Object.keys(functions[index]?.parameters.properties ?? {})).toEqual(expect.arrayContaining(fields))
    expect(JSON.stringify(body['tools'])).toMatch(/undo_edit.*9000 characters.*1024 × 768/)
    expect(lost).toEqual(TOOLS.map((_, index) => `tools[${index}].type dropped`))
  })

  it('are called under the same names', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }
    const choice = {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    }
    const request = asked([{ type: 'bash_20250124', name: 'bash' }])
    const { body, lost } = translateResponse(
      { id: 'x', model: 'm', choices: [choice] },
      { from: O, to: A, model: 'm', request },
    )
    expect(body['content']).toEqual([{ type: 'tool_use', id: 'c1', name: 'bash', input: { command: 'ls' } }])
    expect([body['stop_reason'], lost]).toEqual(['tool_use', []])
  })

  it('reach Anthropic as they were declared', () => {
    const tools = TOOLS.slice(0, 4).map(([tool]) => ({
      ...tool,
      cache_control: { type: 'ephemeral' },
      defer_loading: true,
    }))
    expect(send(A, A, asked(tools), CLAUDE).body['tools']).toEqual(tools)
  })

  it('lose what only Anthropic does with them', () => {
    const { lost } = send(A, O, asked([{ type: 'bash_20250124', name: 'bash', defer_loading: true }]), GPT)
    expect(lost).toEqual(['tools[0].type dropped', 'tools[0].defer_loading dropped'])
  })
})
