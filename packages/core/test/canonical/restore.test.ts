import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../src/canonical/assemble.ts'
import type { Block, ToolCallBlock } from '../../src/canonical/block.ts'
import type { Restore } from '../../src/canonical/format.ts'
import type { Part } from '../../src/canonical/part.ts'
import type { ChatResponse, FinishReason } from '../../src/canonical/response.ts'
import { restoreParts, restoreResponse } from '../../src/canonical/restore.ts'

const call = (name: string, args: string): ToolCallBlock => ({
  type: 'tool-call',
  id: `id-${name}`,
  name,
  arguments: args,
})
const answer = (blocks: Block[], reason: FinishReason = 'tool-calls'): ChatResponse => ({
  choices: [{ blocks, finish: { reason, raw: 'tool_use' } }],
})

const restore: Restore = { names: new Map([['a_b', 'a.b']]), custom: new Set(['a.b', 'shell']), outputTool: 'respond' }

/** Streams an answer with the arguments of each call in pieces of three characters. */
function streamed(response: ChatResponse): Part[] {
  return partsOf(response).flatMap((part): Part[] => {
    if (part.type !== 'block-start' || part.block.type !== 'tool-call') return [part]
    const pieces = part.block.arguments.match(/.{1,3}/gs) ?? []
    return [
      { ...part, block: { ...part.block, arguments: '' } },
      ...pieces.map(
        (piece): Part => ({ type: 'block-delta', index: part.index, choice: 0, delta: { arguments: piece } }),
      ),
    ]
  })
}

describe('An answer to a request that was bent to fit', () => {
  it.each<[string, ChatResponse, ChatResponse]>([
    ['gets the names of tools back', answer([call('other', '{}')]), answer([call('other', '{}')])],
    [
      'gets the text of custom tools out of their one field',
      answer([call('a_b', '{"input":"ls \\"x\\""}'), call('shell', 'no json')]),
      answer([
        { ...call('a_b', 'ls "x"'), name: 'a.b', custom: true },
        { ...call('shell', 'no json'), custom: true },
      ]),
    ],
    [
      'gets its structured output as text, and ends as one that stopped',
      answer([call('respond', '{"city":"Oslo"}')]),
      answer([{ type: 'text', text: '{"city":"Oslo"}' }], 'stop'),
    ],
    [
      'ends with calls where there are others beside the structured output',
      answer([call('respond', '{}'), call('other', '{"a":1}')]),
      answer([{ type: 'text', text: '{}' }, call('other', '{"a":1}')]),
    ],
    [
      'is left alone where nothing was bent',
      answer([{ type: 'text', text: 'Hi' }], 'length'),
      answer([{ type: 'text', text: 'Hi' }], 'length'),
    ],
  ])('%s, whole and as a stream', (_, given, expected) => {
    expect(restoreResponse(given, restore)).toEqual(expected)
    expect(assemble(streamed(given).flatMap(restoreParts(restore)))).toEqual(expected)
    expect(assemble(partsOf(given).flatMap(restoreParts(restore)))).toEqual(expected)
  })

  it('that was not bent passes as it is', () => {
    const response = answer([call('respond', '{}')])
    expect(restoreResponse(response, undefined)).toBe(response)
    const parts = partsOf(response)
    expect(parts.flatMap(restoreParts(undefined))).toEqual(parts)
  })

  it('streams other calls without delay while the text of a custom tool is held back', () => {
    const bend = restoreParts(restore)
    const delta = (index: number, text: string): Part => ({ type: 'block-delta', index, delta: { arguments: text } })
    bend({ type: 'block-start', index: 0, block: call('shell', '') })
    bend({ type: 'block-start', index: 1, block: call('other', '') })
    expect([bend(delta(0, '{"inp')), bend(delta(1, '{"a"'))]).toEqual([[], [delta(1, '{"a"')]])
    expect(bend(delta(0, 'ut":"ls"}'))).toEqual([])
    expect(bend({ type: 'block-end', index: 0 })).toEqual([delta(0, 'ls'), { type: 'block-end', index: 0 }])
  })
})
