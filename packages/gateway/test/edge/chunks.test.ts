import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChunks } from '../../src/edge/chunks.ts'

describe('What arrives in pieces', () => {
  it('is whole in the end, whatever their sizes', () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4_000, max: 5_000 })), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pieces = lengths.map((length, index) => Buffer.alloc(length, index))
        const chunks = createChunks()
        for (const piece of pieces) chunks.add(piece)
        expect(chunks.whole()).toEqual(Buffer.concat(pieces))
      }),
    )
  })
})
