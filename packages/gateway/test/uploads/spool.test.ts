import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSpoolSpace, type Spool, type SpoolSpace } from '../../src/uploads/spool.ts'

let folder = ''
let space: SpoolSpace

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-spool-'))
  space = createSpoolSpace({ each: 8_000_000, total: 10_000_000, folder })
})

afterEach(() => rmSync(folder, { recursive: true }))

async function filled(spool: Spool, bytes: Buffer, size = 100_000): Promise<Spool> {
  for (let at = 0; at < bytes.length; at += size) await spool.write(bytes.subarray(at, at + size))
  return spool
}

async function read(spool: Spool, ...range: [start?: number, end?: number]): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of spool.read(...range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const bytesOf = (size: number) => randomBytes(size)

describe('A spool', () => {
  it.each([0, 1, 1_048_576, 1_048_577, 5_000_000])('returns its %i bytes, whole and by range', async (size) => {
    const bytes = bytesOf(size)
    const spool = await filled(space.create(), bytes)
    expect(spool.size).toBe(size)
    expect((await read(spool)).equals(bytes)).toBe(true)
    expect((await read(spool, size >> 2, size >> 1)).equals(bytes.subarray(size >> 2, size >> 1))).toBe(true)
    expect((await spool.bytes(size >> 1, size)).equals(bytes.subarray(size >> 1))).toBe(true)
    const [one, other] = await Promise.all([read(spool), read(spool)])
    expect(one.equals(other)).toBe(true)
    await spool.close()
    await expect(spool.bytes(0, 1)).rejects.toThrow('closed')
  })

  it('leaves no file with a name, and frees its space once', async () => {
    const spool = await filled(space.create(), bytesOf(3_000_000))
    expect(readdirSync(folder)).toEqual([])
    expect(space.held).toBe(3_000_000)
    await spool.close()
    await spool.close()
    expect(space.held).toBe(0)
  })

  it('creates its folder, and counts in the same space after its limits change', async () => {
    const inside = join(folder, 'a', 'spool')
    const spool = await filled(space.create(), bytesOf(2_000_000))
    space.setLimits({ each: 3_000_000, total: 4_000_000, folder: inside })
    const small = await filled(space.create(), bytesOf(1_500_000))
    expect([space.held, space.folder, readdirSync(inside)]).toEqual([3_500_000, inside, []])
    await expect(filled(space.create(), bytesOf(1_000_000))).rejects.toMatchObject({ kind: 'over-limit' })
    await Promise.all([spool.close(), small.close()])
  })

  it('refuses bytes above its limit, and above the space of all', async () => {
    await expect(filled(space.create(), bytesOf(8_000_001))).rejects.toMatchObject({ kind: 'too-large' })
    expect(space.held).toBe(8_000_000)
    await expect(filled(space.create(), bytesOf(3_000_000))).rejects.toMatchObject({ kind: 'over-limit' })
  })

  it("refuses bytes above the part of its key, and leaves the others' alone", async () => {
    space.setLimits({ each: 3_000_000, total: 10_000_000, perKey: 5_000_000, folder })
    const [first, second] = [space.create('one'), space.create('one')]
    await filled(first, bytesOf(3_000_000))
    await expect(filled(second, bytesOf(2_100_000))).rejects.toMatchObject({ kind: 'over-limit' })
    await filled(space.create('other'), bytesOf(3_000_000))
    await first.close()
    await filled(space.create('one'), bytesOf(3_000_000))
    expect(space.held).toBe(8_000_000)
  })
})
