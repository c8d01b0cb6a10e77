import { chmodSync, fstatSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appendLines, type Write } from '../src/store/lines.ts'
import { createSpill } from '../src/store/spill.ts'
import { fill, many, open, rows } from './open-ledger.ts'
import { start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

/** A disk that has room for so many bytes: the write that reaches its end is short, the next one fails. */
function disk(room: number) {
  let left = room
  return {
    write(file: number, buffer: Uint8Array, offset: number): number {
      if (left === 0) throw new Error('no space left on device')
      const written = writeSync(file, buffer, offset, Math.min(left, buffer.length - offset))
      left -= written
      return written
    },
    makeRoom() {
      left = 1e9
    },
  }
}

/** A disk whose files hold so many bytes. */
function filesOf(most: number): Write {
  return (file, buffer, offset) => {
    const room = most - fstatSync(file).size
    if (room <= 0) throw new Error('file too large')
    return writeSync(file, buffer, offset, Math.min(room, buffer.length - offset))
  }
}

describe('Lines that are appended to a file', () => {
  it('are there whole or not at all, wherever the disk is full', () => {
    const file = join(temporaryFolder(), 'lines.jsonl')
    const lines = rows('one', 'two').map((row) => JSON.stringify({ after: 0, row }))
    const size = lines.join('').length + lines.length
    for (const room of [...Array.from({ length: size / 13 }, (_, step) => step * 13), size - 1, size]) {
      writeFileSync(file, 'before\n')
      const append = () => appendLines(file, lines, disk(room).write)
      if (room < size) expect(append).toThrow('no space left on device')
      else append()
      expect(readFileSync(file, 'utf8').split('\n')).toEqual(room < size ? ['before', ''] : ['before', ...lines, ''])
    }
  })
})

describe('Rows that find store and disk full', () => {
  it('wait in memory, and the log counts them right', async () => {
    const folder = temporaryFolder()
    const spill = createSpill(folder, disk(20_000).write)
    const { ledger, database, problems, ids } = open({ folder, spill })
    const makeRoom = fill(database)
    for (let turn = 0; turn < 4; turn += 1) await Promise.all(many(`turn${turn}_`).map((row) => ledger.settle(row)))
    expect(problems.at(-1)).toContain('400 usage rows wait in memory, 0 are lost')
    makeRoom()
    await ledger.takeIn()
    expect(new Set(ids()).size).toBe(400)
    expect(ids()).toHaveLength(400)
    expect(ledger.lost()).toBe(0)
  })

  it('go into several files where one may not hold them all', async () => {
    const folder = temporaryFolder()
    const { ledger, database, ids, problems } = open({ folder, spill: createSpill(folder, filesOf(3_000)) })
    const makeRoom = fill(database)
    await Promise.all(many('a').map((row) => ledger.settle(row)))
    expect(problems).toEqual([expect.stringMatching(/^The store can not take usage rows, they go to a spill file: /)])
    makeRoom()
    await ledger.takeIn()
    expect([new Set(ids()).size, ledger.lost()]).toEqual([100, 0])
  })

  it('go to the disk once it has room, though the store has none', async () => {
    const folder = temporaryFolder()
    const { write, makeRoom } = disk(0)
    const { ledger, database, spillFiles } = open({ folder, spill: createSpill(folder, write) })
    fill(database)
    await Promise.all(many('a').map((row) => ledger.settle(row)))
    makeRoom()
    await ledger.takeIn()
    expect(createSpill(folder).read(join(folder, spillFiles().at(-1) ?? '')).rows).toHaveLength(100)
  })

  it('are saved at the end if the store has room by then', async () => {
    const folder = temporaryFolder()
    const { ledger, database, ids, problems } = open({ folder, spill: createSpill(folder, disk(0).write) })
    const makeRoom = fill(database)
    await Promise.all(many('a').map((row) => ledger.settle(row)))
    makeRoom()
    ledger.close()
    expect([ids().length, ledger.lost()]).toEqual([100, 0])
    expect(problems.filter((problem) => problem.includes('lost ('))).toEqual([])
  })

  it('are counted and named at the end if there is no room', async () => {
    const folder = temporaryFolder()
    const { ledger, database, problems } = open({ folder, spill: createSpill(folder, disk(0).write) })
    fill(database)
    await Promise.all(many('a').map((row) => ledger.settle(row)))
    ledger.close()
    expect(ledger.lost()).toBe(100)
    expect(problems.at(-1)).toMatch(/^100 usage rows are lost \(no space left on device\), those of the requests a0, a1, /)
  })
})

/** Requests that are made of a program. Their rows are more than 32 KB. */
const ASKED = 80

/** What a program is started with whose spill files find the disk full after so many bytes. */
const FULL = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { writeSync } = fs
let room = 20_000
fs.writeSync = (file, data, ...rest) => {
  if (!(data instanceof Uint8Array)) return writeSync(file, data, ...rest)
  if (room === 0) throw new Error('no space left on device')
  const [offset] = rest
  const written = writeSync(file, data, offset, Math.min(room, data.length - offset))
  room -= written
  return written
}
syncBuiltinESMExports()
`

describe('A program that can write no usage rows', () => {
  /** Asks the program while its store is held, ends it, and starts it again without what was in its way. */
  async function askAndEnd(files: Record<string, string>, options: (folder: string) => Partial<Parameters<typeof start>[0]>) {
    const { baseUrl } = await startUpstream()
    const provider = { adapter: 'openai-compatible', baseUrl, models: ['model-1'] }
    const folder = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'], providers: { mine: provider } }, ...files })
    await (await start({ folder })).stop()

    const gateway = await start({ folder, ...options(folder) })
    const other = new DatabaseSync(join(folder, '.headgate/headgate.db'))
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const asked = await Promise.all(Array.from({ length: ASKED }, () => ask(gateway.url)))
    const code = await gateway.stop()
    other.exec('COMMIT')

    await (await start({ folder })).stop()
    const stored = other.prepare('SELECT request_id FROM usage').all()
    const lines = gateway.log().map(({ msg }) => String(msg))
    const lost = lines.flatMap((line) => /^\d+ usage rows are lost .* the requests (.*)$/.exec(line)?.[1]?.split(', ') ?? [])
    return { code, asked: asked.sort(), stored: stored.map((row) => row['request_id']), lost }
  }

  it('nor hold them ends with 1 and names every row that is lost; the next start has all the others', { timeout: 30_000 }, async () => {
    const { code, asked, stored, lost } = await askAndEnd({ 'full.mjs': FULL }, (folder) => ({
      environment: { NODE_OPTIONS: `--import=${folder}/full.mjs` },
    }))
    expect([code, lost.length > 0, stored.length > 0]).toEqual([1, true, true])
    expect([...stored, ...lost].sort()).toEqual(asked)
  })

  it('but into files of 32 KB ends with 0, and the next start has them all', { timeout: 30_000 }, async () => {
    const program = `exec ${process.execPath} --conditions=@headgate/source ${join(import.meta.dirname, '../src/cli.ts')} "$@"`
    const { code, asked, stored, lost } = await askAndEnd({ limited: `#!/bin/sh\nulimit -f 64\n${program}\n` }, (folder) => {
      chmodSync(join(folder, 'limited'), 0o700)
      return { program: join(folder, 'limited') }
    })
    expect([code, lost]).toEqual([0, []])
    expect(stored.sort()).toEqual(asked)
  })
})

async function ask(url: string): Promise<string | null> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
  return answer.headers.get('x-request-id')
}
