import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../src/canonical/assemble.ts'
import type { Block } from '../../src/canonical/block.ts'
import type { Part } from '../../src/canonical/part.ts'
import type { ChatResponse } from '../../src/canonical/response.ts'

const word = fc.string({ maxLength: 8 })
const signature = fc.record({ signer: fc.constantFrom('claude', 'gemini'), value: word })
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record(
    {
      type: fc.constant('text' as const),
      text: word,
      citations: fc.array(fc.record({ url: word }), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record({ type: fc.constant('reasoning' as const), text: word, signature }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('tool-call' as const), id: word, name: word, arguments: word, signature },
    { requiredKeys: ['type', 'id', 'name', 'arguments'] },
  ),
  fc.record({ type: fc.constant('refusal' as const), text: word }),
)
const finish = fc.record(
  { reason: fc.constantFrom('stop' as const, 'length' as const, 'tool-calls' as const), raw: word },
  { requiredKeys: ['reason'] },
)
const choice = fc.record(
  {
    blocks: fc.array(block, { maxLength: 4 }),
    finish,
    logprobs: fc.array(fc.record({ token: word, logprob: fc.constant(-1) }), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['blocks', 'finish'] },
)
const response: fc.Arbitrary<ChatResponse> = fc.record(
  {
    id: word,
    model: word,
    created: fc.nat(),
    choices: fc.array(choice, { minLength: 1, maxLength: 3 }),
    usage: fc.record({ input: fc.nat(), output: fc.nat() }),
  },
  { requiredKeys: ['choices'] },
)

/** The same stream with the text of every block in two pieces. */
function inPieces(part: Part): Part[] {
  if (part.type !== 'block-start' || !('text' in part.block) || typeof part.block.text !== 'string') return [part]
  const { text } = part.block
  const middle = Math.floor(text.length / 2)
  const delta = (piece: string): Part => ({
    type: 'block-delta',
    index: part.index,
    delta: { text: piece },
    ...(part.choice !== undefined && { choice: part.choice }),
  })
  return [{ ...part, block: { ...part.block, text: '' } }, delta(text.slice(0, middle)), delta(text.slice(middle))]
}

describe('A stream of parts', () => {
  it('amounts to the whole answer that it was made from, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(response, (whole) => {
        const parts = partsOf(whole)
        expect(assemble(parts)).toEqual(whole)
        expect(assemble(parts.flatMap(inPieces))).toEqual(whole)
      }),
    )
  })

  it('may have several blocks open at once, whose order is that of their beginning', () => {
    const call = (index: number, id: string): Part => ({
      type: 'block-start',
      index,
      block: { type: 'tool-call', id, name: 'f', arguments: '' },
    })
    const add = (index: number, text: string): Part => ({ type: 'block-delta', index, delta: { arguments: text } })
    const { choices } = assemble([
      call(1, 'b'),
      call(0, 'a'),
      add(0, '{'),
      add(1, '['),
      add(0, '}'),
      add(1, ']'),
      { type: 'block-end', index: 1 },
      add(1, 'late'),
      add(7, 'nobody'),
    ])
    expect(choices[0]?.blocks).toMatchObject([
      { id: 'b', arguments: '[]' },
      { id: 'a', arguments: '{}' },
    ])
  })

  it('does not change the parts that it was given', () => {
    const start: Part = { type: 'block-start', index: 0, block: { type: 'text', text: 'a', citations: [{ url: 'x' }] } }
    const before = structuredClone(start)
    assemble([start, { type: 'block-delta', index: 0, delta: { text: 'b', citations: [{ url: 'y' }] } }])
    expect(start).toEqual(before)
  })

  it('has its last usage, and its choices by their numbers', () => {
    const finish = (choice: number, raw: string): Part => ({ type: 'finish', finish: { reason: 'stop', raw }, choice })
    const whole = assemble([
      finish(1, 'b'),
      { type: 'usage', usage: { input: 1, output: 1 } },
      finish(0, 'a'),
      { type: 'usage', usage: { input: 1, output: 9 } },
    ])
    expect([whole.usage?.output, whole.choices.map((one) => one.finish.raw)]).toEqual([9, ['a', 'b']])
  })

  it('throws its error', () => {
    expect(() =>
      assemble([{ type: 'start' }, { type: 'error', error: { kind: 'overloaded', message: 'busy', retryAfterMs: 5 } }]),
    ).toThrow(expect.objectContaining({ kind: 'overloaded', message: 'busy', retryAfterMs: 5 }))
  })
})
