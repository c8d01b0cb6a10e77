import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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

  it('is kept in about as much memory as it has bytes', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const chunks = createChunks()
    const slab = Buffer.alloc(64 * 1024, 'x')
    collect()
    const before = process.memoryUsage().heapUsed
    for (let piece = 0; piece < 300_000; piece++) chunks.add(slab.subarray(piece % 1000, (piece % 1000) + 1))
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(3_000_000)
    expect(chunks.whole().length).toBe(300_000)
  })
})
