import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/canonical/part.ts'
import { sequential } from '../../src/canonical/sequential.ts'

function call(index: number, id = `c${index}`): Part {
  return { type: 'block-start', index, block: { type: 'tool-call', id, name: 'f', arguments: '' } }
}
function args(index: number, text: string): Part {
  return { type: 'block-delta', index, delta: { arguments: text } }
}
function end(index: number): Part {
  return { type: 'block-end', index }
}
function run(parts: Part[]): Part[] {
  const order = sequential()
  return parts.flatMap((part) => order(part))
}

describe('Blocks in sequence', () => {
  it('lets what is in sequence already pass at once', () => {
    const parts = [call(0), args(0, '{}'), end(0), call(1), args(1, '{}'), end(1)]
    expect(run(parts)).toEqual(parts)
  })

  it('case 254: streams the lowest of interleaved blocks and keeps the others back until their turn', () => {
    const order = sequential()
    expect(order(call(0))).toEqual([call(0)])
    expect(order(call(1))).toEqual([])
    expect(order(args(0, 'a'))).toEqual([args(0, 'a')])
    expect(order(args(1, 'b'))).toEqual([])
    expect(order(end(1))).toEqual([])
    expect(order(end(0))).toEqual([end(0), call(1), args(1, 'b'), end(1)])
  })

  it('lets a block that waited stream once those before it are closed', () => {
    const order = sequential()
    for (const part of [call(0), call(1), args(1, 'b')]) order(part)
    expect(order(end(0))).toEqual([end(0), call(1), args(1, 'b')])
    expect(order(args(1, 'c'))).toEqual([args(1, 'c')])
  })

  it('numbers blocks anew from 0 without gaps', () => {
    expect(run([call(3), end(3), call(7), args(7, 'x'), end(7)])).toEqual([
      call(0, 'c3'),
      end(0),
      call(1, 'c7'),
      args(1, 'x'),
      end(1),
    ])
  })

  it('closes a block whose index is opened again', () => {
    expect(run([call(0, 'a'), call(0, 'b'), end(0)])).toEqual([call(0, 'a'), end(0), call(1, 'b'), end(1)])
  })

  it('brings out and closes everything before the end of the answer', () => {
    const finish: Part = { type: 'finish', finish: { reason: 'length' } }
    expect(run([call(0), call(1), args(1, 'b'), finish])).toEqual([
      call(0),
      end(0),
      call(1),
      args(1, 'b'),
      end(1),
      finish,
    ])
  })

  it('case 274: leaves out the parts of other choices', () => {
    const usage: Part = { type: 'usage', usage: { input: 1, output: 1 } }
    const other: Part[] = [
      { type: 'block-start', index: 0, block: { type: 'text', text: '' }, choice: 1 },
      { type: 'block-delta', index: 0, delta: { text: 'no' }, choice: 1 },
      { type: 'finish', finish: { reason: 'stop' }, choice: 1 },
    ]
    expect(run([...other, usage])).toEqual([usage])
  })

  it('leaves out what adds to, or ends, a block that is not open', () => {
    expect(run([args(4, 'x'), end(4)])).toEqual([])
  })
})
