import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import { sequential } from '../../../src/canonical/sequential.ts'
import { blocksOf, calls, end, read } from './chunks.ts'

describe('tool calls of a chat completions stream', () => {
  it('case 254: interleaved calls are put together, and come out one after the other where that is needed', () => {
    const parts = read(
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      calls({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"x"' } }),
      calls({ index: 1, function: { arguments: '{"y":2}' } }),
      calls({ index: 0, function: { arguments: ':1}' } }),
      end('tool_calls'),
      '[DONE]',
    )
    const expected = [
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: '{"y":2}' },
    ]
    expect(assemble(parts).choices[0]?.blocks).toMatchObject(expected)
    const inOrder = parts.flatMap(sequential())
    expect(assemble(inOrder).choices[0]?.blocks).toMatchObject(expected)
    const open = inOrder.flatMap((part) =>
      part.type === 'block-start' || part.type === 'block-end' ? `${part.type} ${part.index}` : [],
    )
    expect(open).toEqual(['block-start 0', 'block-end 0', 'block-start 1', 'block-end 1'])
  })

  it.each<[string, Json[], Json[]]>([
    [
      'case 256: an index that starts at 1',
      [{ index: 1, id: 'a', function: { name: 'f', arguments: '{}' } }],
      [{ id: 'a' }],
    ],
    [
      'case 256: one index for several ids',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '1' } },
        { index: 0, id: 'b', function: { name: 'f', arguments: '2' } },
        { index: 0, id: 'a', function: { arguments: '3' } },
      ],
      [
        { id: 'a', arguments: '13' },
        { id: 'b', arguments: '2' },
      ],
    ],
    [
      'no index at all',
      [
        { id: 'a', function: { name: 'f', arguments: '{' } },
        { function: { arguments: '}' } },
        { id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
      [
        { id: 'a', arguments: '{}' },
        { id: 'b', arguments: '{}' },
      ],
    ],
    [
      'an id in every fragment',
      [
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
      [{ id: 'a', name: 'f', arguments: '{}' }],
    ],
    [
      'an empty id and null type in later fragments',
      [
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 0, id: '', type: null, function: { name: '', arguments: '{}' } },
      ],
      [{ id: 'a', arguments: '{}' }],
    ],
    [
      'whole calls without ids under one index',
      [
        { index: 0, id: '', function: { name: 'f', arguments: '{"a":1}' } },
        { index: 0, id: '', function: { name: 'f', arguments: '{"a":2}' } },
      ],
      [{ arguments: '{"a":1}' }, { arguments: '{"a":2}' }],
    ],
    [
      'case 258: the name after the arguments',
      [
        { index: 0, id: 'a', function: { arguments: '{"x"' } },
        { index: 0, function: { arguments: ':1' } },
        { index: 0, function: { name: 'f', arguments: '}' } },
      ],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    [
      'case 259: everything in one fragment',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }],
      [{ arguments: '{"x":1}' }],
    ],
    [
      'arguments that are an object',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
      [{ arguments: '{"x":1}' }],
    ],
    [
      'a custom tool',
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'q', input: 'sel' } },
        { index: 0, custom: { input: 'ect' } },
      ],
      [{ custom: true, name: 'q', arguments: 'select' }],
    ],
  ])('tool calls: %s', (_, fragments, expected) => {
    const blocks = blocksOf(...fragments.map((fragment) => calls(fragment)), end('tool_calls'), '[DONE]')
    expect(blocks).toHaveLength(expected.length)
    expect(blocks).toMatchObject(expected)
    const ids = blocks?.map((block) => 'id' in block && block.id) ?? []
    expect(new Set(ids).size).toBe(expected.length)
    expect(ids.every(Boolean)).toBe(true)
  })
})
