import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { type ClientRequest, createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { adapterPackage } from '../../../../packages/discovery/test/support/adapter-package.ts'
import { type Running, start } from '../program.ts'
import { temporaryFolder } from '../temporary.ts'

const MEGABYTE = 1024 * 1024
const KEY = 'sk-uploads-0123456789'
const CHUNK = Buffer.alloc(256 * 1024, 'a sound of no meaning ')
const BOUNDARY = 'the-end-of-a-part'

/** A provider without a limit for files, whose requests are the recording itself. */
const EAR = `import { z } from '${import.meta.resolve('zod')}'
const ear = ({ baseUrl }) => ({
  name: 'ear', baseUrl, credential: { kind: 'none' }, claims: [],
  known: [{ id: 'ear-1', families: ['transcription'], price: { id: 'list@today', input: 0, output: 0, units: { milliseconds: 1 } } }],
  transcription: {
    request: ({ file }) => ({ method: 'POST', url: '/hear', body: { bytes: file.content, type: file.type } }),
    response: ({ body }) => ({ text: body.text, seconds: body.seconds }),
  },
})
export const adapter = Object.assign(ear, {
  id: 'ear', title: 'Ear', kind: 'provider', contract: 1, enable: 'configured', env: {},
  config: z.strictObject({ baseUrl: z.url() }),
})
`

/** A second of sound at 16 kHz, 16 bits, is 32,000 bytes. */
function wavHeader(size: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(size - 8, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(16_000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(size - 44, 40)
  return header
}

/** Parts of a form with a recording of that size: all but the last chunk of the file, and the rest. */
function formOf(size: number) {
  const head = Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\n\r\near-1\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  return { head, tail, length: head.length + size + tail.length }
}

function* soundOf(size: number): Generator<Buffer> {
  yield wavHeader(size)
  for (let left = size - 44; left > 0; left -= CHUNK.length) yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK
}

function hashOf(size: number): string {
  const hash = createHash('sha256')
  for (const chunk of soundOf(size)) hash.update(chunk)
  return hash.digest('hex')
}

/** An upload whose last chunk is sent on request. */
class Upload {
  readonly status: Promise<number>
  /** Resolves when the last chunk is all that is left to send. */
  readonly waiting: Promise<void>
  private readonly sent: ClientRequest
  private last: Buffer = Buffer.alloc(0)
  private readonly tail: Buffer

  constructor({ url }: Running, size: number) {
    const { head, tail, length } = formOf(size)
    this.tail = tail
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': length,
    }
    this.sent = request(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, agent: false })
    this.status = new Promise((resolve) => {
      this.sent.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      })
      this.sent.on('error', () => resolve(0))
    })
    this.waiting = this.sendMost(head, size).catch(() => {})
  }

  /** Sends the rest. */
  finish(): Promise<number> {
    this.sent.write(this.last)
    this.sent.end(this.tail)
    return this.status
  }

  leave(): void {
    this.sent.destroy()
  }

  private async sendMost(head: Buffer, size: number): Promise<void> {
    await this.write(head)
    for (const chunk of soundOf(size)) {
      if (this.last.length > 0) await this.write(this.last)
      this.last = chunk
    }
  }

  private write(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => this.sent.write(chunk, (error) => (error ? reject(error) : resolve())))
  }
}

/** Upstream that reads recordings, and answers on request. */
async function startVendor() {
  const held: ServerResponse[] = []
  const hashes: string[] = []
  const state = { answers: true, left: 0 }
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: 'Hello.', seconds: 1 }))
  }
  const server = createServer((incoming, response) => {
    const hash = createHash('sha256')
    response.on('close', () => {
      if (!response.writableEnded) state.left++
    })
    incoming.on('data', (chunk: Buffer) => hash.update(chunk))
    incoming.on('end', () => {
      hashes.push(hash.digest('hex'))
      if (state.answers) answer(response)
      else held.push(response)
    })
    incoming.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, held, hashes, state, answerAll: () => held.splice(0).forEach(answer) }
}

async function started() {
  const vendor = await startVendor()
  const folder = temporaryFolder({
    'package.json': { headgate: { adapters: ['ear'] } },
    ...adapterPackage('ear'),
    'ear/index.js': EAR,
    'headgate.config.json': { keys: [{ key: KEY }], providers: { ear: { baseUrl: vendor.baseUrl } } },
  })
  const running = await start({ folder })
  // The first ones load code.
  await Promise.all(Array.from({ length: 4 }, () => finished(new Upload(running, 2 * MEGABYTE))))
  return { vendor, running, spool: join(folder, '.headgate', 'spool') }
}

async function finished(upload: Upload): Promise<number> {
  await upload.waiting
  return upload.finish()
}

/** A line of `/proc/<pid>/status`, in bytes. */
function memoryOf({ child }: Running, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
}

/** Open files of the spool. */
function openSpools({ child }: Running, spool: string): number {
  const folder = `/proc/${child.pid}/fd`
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith(spool)
    } catch {
      return false
    }
  }).length
}

/** Resident memory beyond that before the work, at its peak, in megabytes. */
async function growthOf(running: Running, work: () => Promise<void>): Promise<number> {
  const before = memoryOf(running, 'VmRSS')
  // Resets the peak.
  writeFileSync(`/proc/${running.child.pid}/clear_refs`, '5')
  await work()
  return Math.round((memoryOf(running, 'VmHWM') - before) / MEGABYTE)
}

const WAIT = { timeout: 120_000, interval: 50 }

describe.skipIf(process.platform !== 'linux')('Uploads', { tags: ['full'] }, () => {
  it('of 20 MB, 200 at once, need less than 200 MB of memory', { timeout: 280_000 }, async () => {
    const { vendor, running, spool } = await started()
    const [size, number] = [20 * MEGABYTE, 200]
    vendor.state.answers = false
    vendor.hashes.length = 0
    let statuses: readonly number[] = []
    let atOnce = 0
    const growth = await growthOf(running, async () => {
      const uploads = Array.from({ length: number }, () => new Upload(running, size))
      await Promise.all(uploads.map(({ waiting }) => waiting))
      atOnce = openSpools(running, spool)
      const all = uploads.map((upload) => upload.finish())
      await vi.waitUntil(() => vendor.held.length === number, WAIT)
      vendor.answerAll()
      statuses = await Promise.all(all)
    })
    process.stdout.write(`${JSON.stringify({ uploads: number, spools: atOnce, growthInMegabytes: growth })}\n`)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(new Set(vendor.hashes)).toEqual(new Set([hashOf(size)]))
    expect([atOnce, vendor.hashes.length, readdirSync(spool)]).toEqual([number, number, []])
    await vi.waitUntil(() => openSpools(running, spool) === 0, WAIT)
    expect(growth).toBeLessThan(200)
  })

  it('need memory that does not depend on their size: 511 MB as 20 MB', { timeout: 280_000 }, async () => {
    const { vendor, running } = await started()
    const upload = (size: number) =>
      growthOf(running, async () => expect(await finished(new Upload(running, size))).toBe(200))
    const growths = [await upload(20 * MEGABYTE), await upload(511 * MEGABYTE)]
    process.stdout.write(`${JSON.stringify({ growthsInMegabytes: growths })}\n`)
    expect(vendor.hashes.at(-1)).toBe(hashOf(511 * MEGABYTE))
    expect(growths[1]).toBeLessThan(64)
    expect(await finished(new Upload(running, 513 * MEGABYTE))).toBe(413)
  })

  it('of callers who leave free their space, whatever they wait for, and end the call', async () => {
    const { vendor, running, spool } = await started()
    const isFree = () => vi.waitUntil(() => openSpools(running, spool) === 0, WAIT)
    for (const size of [100_000, 8 * MEGABYTE]) {
      const incomplete = new Upload(running, size)
      await incomplete.waiting
      if (size > MEGABYTE) await vi.waitUntil(() => openSpools(running, spool) === 1, WAIT)
      incomplete.leave()
      await isFree()
      vendor.state.answers = false
      const complete = new Upload(running, size)
      await complete.waiting
      void complete.finish()
      await vi.waitUntil(() => vendor.held.length === 1, WAIT)
      const { left } = vendor.state
      complete.leave()
      await vi.waitUntil(() => vendor.state.left === left + 1, WAIT)
      await isFree()
      vendor.held.length = 0
      vendor.state.answers = true
      expect(await finished(new Upload(running, size))).toBe(200)
    }
  })

  it('leave no file behind when the process is killed', async () => {
    const { vendor, running, spool } = await started()
    vendor.state.answers = false
    const uploads = Array.from({ length: 6 }, () => new Upload(running, 8 * MEGABYTE))
    await Promise.all(uploads.map(({ waiting }) => waiting))
    for (const upload of uploads.slice(0, 3)) void upload.finish()
    await vi.waitUntil(() => vendor.held.length === 3 && openSpools(running, spool) === 6, WAIT)
    running.child.kill('SIGKILL')
    await running.exit
    expect(readdirSync(spool)).toEqual([])
    for (const upload of uploads) upload.leave()
  })
})
