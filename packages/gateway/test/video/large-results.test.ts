import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const GB = 2 ** 30
const PIECE = Buffer.alloc(1 << 20, 7)
const PARTS = 16

/** A film of a gigabyte, or what is asked of it. */
async function serveFilm(call: UpstreamCall): Promise<void> {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(call.headers['range'] ?? '')) ?? []
  const isPart = first !== undefined && last !== undefined
  const size = isPart ? Number(last) - Number(first) + 1 : GB
  const headers = { 'content-type': 'video/mp4', 'content-length': String(size) }
  call.head(isPart ? 206 : 200, isPart ? { ...headers, 'content-range': `bytes ${first}-${last}/${GB}` } : headers)
  for (let written = 0; written < size; written += PIECE.length) await call.write(PIECE)
  call.end()
}

/** @param pauseMs how long nothing is read, of 64 MB each. @returns the number of bytes. */
async function read(answer: Response, pauseMs = 0): Promise<number> {
  let size = 0
  let rest = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    rest += chunk.length
    if (pauseMs === 0 || rest < 64 * PIECE.length) continue
    rest = 0
    await sleep(pauseMs)
  }
  return size
}

it('a result of a gigabyte keeps the process under 300 MB, read slowly and by parts', { tags: ['full'] }, async () => {
  const upstream = await startUpstream(serveFilm)
  const child = fork(join(import.meta.dirname, 'relay.ts'), [upstream.origin], {
    execArgv: ['--conditions=@headgate/source'],
  })
  onTestFinished(() => void child.kill())
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const film = (range?: string) =>
    fetch(
      `http://127.0.0.1:${port}/api/v3/contents/generations/tasks/cgt-1/content?exp=99999999999&sig=sig`,
      range ? { headers: { range } } : {},
    )

  expect(await read(await film(), 100)).toBe(GB)
  const part = GB / PARTS
  const parts = await Promise.all(
    Array.from({ length: PARTS }, async (_, nth) => {
      const answer = await film(`bytes=${nth * part}-${(nth + 1) * part - 1}`)
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes ${nth * part}-${(nth + 1) * part - 1}/${GB}`,
      ])
      return read(answer, nth)
    }),
  )
  expect(parts).toEqual(parts.map(() => part))
  child.send('most')
  const [{ most }] = (await once(child, 'message')) as [{ most: number }]
  expect(most / 2 ** 20).toBeLessThan(300)
})
