import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { cpuOf } from '../../../core/test/laws/cpu.ts'
import { createChunks } from '../../src/edge/chunks.ts'
import { clientAddress } from '../../src/edge/client-address.ts'
import { boldHtml, wordPattern } from '../../src/families/search/text.ts'
import { createDownload } from '../../src/http/download.ts'
import { createGuard } from '../../src/http/guard.ts'
import { scrub } from '../../src/http/scrub.ts'
import { mayUse } from '../../src/serve/permission.ts'
import { startUpstream } from '../support/upstream.ts'

describe('A body that arrives in pieces', () => {
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

describe('The address of a caller', () => {
  const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8:aa::/48']

  it('costs little, whatever is sent', () => {
    const hostile = [
      `for=${'"\\,;'.repeat(1_000)}`,
      'for=;'.repeat(800),
      ','.repeat(4_000),
      Array.from({ length: 300 }, () => '10.0.0.1').join(', '),
      `${'['.repeat(4_000)}`,
    ]
    const begun = process.cpuUsage()
    for (let turn = 0; turn < 200; turn += 1)
      for (const value of hostile) clientAddress('10.0.0.1', { forwarded: value, 'x-forwarded-for': value }, TRUSTED)
    const { user } = process.cpuUsage(begun)
    expect(user / 1_000).toBeLessThan(1_000)
  })
})

describe('A credential of ours is removed from a text', () => {
  const SECRET = 'zebra+north/0123456789abcd'
  const credential = { kind: 'header', name: 'authorization', value: `Bearer ${SECRET}` } as const
  const clean = (text: string): string => scrub(text, { credential })

  it.each([
    ['beginnings of tokens', 'eyJaaaaaaaa-'],
    ['beginnings of tokens with a dot', 'eyJaaaaaaaa.'],
    ['prefixes of keys', 'sk-'],
    ['backslashes', '\\'],
    ['percent signs', '%2'],
    ['schemes', 'Bearer '],
    ['spaces after a scheme', ' '],
    ['halves of the credential', SECRET.slice(0, 20)],
  ])('in no time where it is full of %s', (_, piece) => {
    const text = `Bearer${piece.repeat(1_000_000 / piece.length)}"`
    expect(cpuOf(() => clean(text), 1)).toBeLessThan(1500)
  })
})

describe('A pattern of what may be used', () => {
  it('is read in linear time', () => {
    const read = (): void => expect(mayUse([`${'a*'.repeat(200)}b`], 'a'.repeat(200_000))).toBe(false)
    expect(cpuOf(read, 1)).toBeLessThan(1_000)
  })
})

describe('The words of a query', () => {
  it('cost little, though each query has words of its own', () => {
    let count = 0
    const search = () => {
      const words = wordPattern(`gateways of route ${count++}`)
      for (let result = 0; result < 10; result++) boldHtml(`A gateway, and the routes of gateways: ${result}`, words)
    }
    const fifty = () => {
      for (let query = 0; query < 50; query++) search()
    }
    expect(cpuOf(fifty)).toBeLessThan(50)
  })
})

describe('A download', () => {
  it('of compressed content that is too large inflates no more than is allowed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const server = await startUpstream((call) => {
      call.head(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' })
      call.end(bomb)
    })
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const download = createDownload({ limit: 100_000, guard: createGuard({ allowPrivate: ['media.test'], resolve }) })
    const url = `http://media.test:${new URL(server.origin).port}/a`
    const before = process.memoryUsage().arrayBuffers
    await expect(
      download({ path: 'messages[0].content[1].image_url', url }, new AbortController().signal),
    ).rejects.toThrow('it has more than 100000 bytes')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })
})
