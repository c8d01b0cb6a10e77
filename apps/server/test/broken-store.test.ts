import { spawnSync } from 'node:child_process'
import {
  closeSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { openCommandStore, type StoredUsage } from '@headgate/store'
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { openJournal } from '../../../packages/store/src/journal/journal.ts'
import { runsIn } from '../../../packages/store/src/journal/process-run.ts'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { type Running, run, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { END, startUpstream } from './upstream.ts'

const KEY = 'sk-local'
const HOUR = 3_600_000

/** A folder whose configuration names an upstream. */
async function folderWith(files: Readonly<Record<string, unknown>> = {}) {
  const { baseUrl, streams } = await startUpstream()
  const mine = { adapter: 'openai-compatible', baseUrl, models: ['model-1'] }
  const config = { keys: [KEY], providers: { mine }, times: { drain: 0 } }
  const folder = temporaryFolder({ 'headgate.config.json': config, ...files })
  return { folder, dataDir: join(folder, '.headgate'), streams }
}

interface Asked {
  readonly status: number
  readonly id: string
}

async function ask(url: string, key = KEY): Promise<Asked> {
  const answer = await send(url, { key })
  await answer.text()
  return { status: answer.status, id: String(answer.headers.get('x-request-id')) }
}

function send(url: string, { key = KEY, stream = false }): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }], stream }),
  })
}

/** Asks one after the other until it is so; every answer must be one. Resolves with the ids of the requests. */
async function askUntil(url: string, isSo: () => Promise<boolean>): Promise<string[]> {
  const asked: string[] = []
  do {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(url)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    asked.push(...answers.map(({ id }) => id))
  } while (!(await isSo()))
  return asked
}

async function reasons(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/readyz`)
  return answer.ok ? [] : Object(await answer.json()).reasons
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

/** All rows, oldest first. */
async function rowsIn(dataDir: string): Promise<readonly StoredUsage[]> {
  const archive = await openCommandStore({ dataDir, onProblem: () => {} })
  try {
    return (await archive.usage.page({ limit: 10_000 })).toReversed()
  } finally {
    await archive.close()
  }
}

async function idsIn(dataDir: string): Promise<string[]> {
  return (await rowsIn(dataDir)).map(({ requestId }) => requestId).sort()
}

async function newKey(dataDir: string, expiresAt?: number): Promise<string> {
  const archive = await openCommandStore({ dataDir, onProblem: () => {} })
  const { key } = await archive.keys.create({ models: ['*'], expiresAt })
  await archive.close()
  return key
}

function messages({ log }: Running): string[] {
  return log().map(({ msg }) => String(msg))
}

function putAsideIn(dataDir: string): string[] {
  const files = globSync('usage-quarantine-*.jsonl', { cwd: dataDir })
  return files.flatMap((file) => readFileSync(join(dataDir, file), 'utf8').trim().split('\n'))
}

describe('A gateway whose disk is full', { tags: ['full'] }, () => {
  /** A disk of a few megabytes for the data directory, that can be filled. */
  async function smallDisk({ skip }: TestContext) {
    const made = await folderWith()
    mkdirSync(made.dataDir)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', made.dataDir])
    if (mounted.status !== 0) {
      process.stderr.write('No disk can be mounted here: NOTHING is shown of a gateway whose disk is full.\n')
      skip('no disk can be mounted')
    }
    onTestFinished(() => void spawnSync('umount', ['-l', made.dataDir]))
    const filler = join(made.dataDir, 'filler')
    const fill = (): void => {
      const file = openSync(filler, 'a')
      const bytes = Buffer.alloc(4_096)
      try {
        for (;;) writeSync(file, bytes)
      } catch {
        closeSync(file)
      }
    }
    return { ...made, fill, makeRoom: () => rmSync(filler) }
  }

  it('answers, says so, and has all rows once there is room', async (context) => {
    const { folder, dataDir, fill, makeRoom } = await smallDisk(context)
    const gateway = await start({ folder })
    const asked = await askUntil(gateway.url, async () => true)
    fill()
    asked.push(...(await askUntil(gateway.url, async () => (await fetch(`${gateway.url}/readyz`)).status === 503)))
    expect(await reasons(gateway.url)).toEqual(['the journal cannot be written'])
    asked.push(...(await askUntil(gateway.url, async () => true)))
    expect(await metric(gateway.url, 'headgate_usage_rows_waiting')).toBeGreaterThanOrEqual(10)
    makeRoom()
    await vi.waitUntil(async () => (await fetch(`${gateway.url}/readyz`)).ok, { timeout: 60_000 })
    expect(await metric(gateway.url, 'headgate_usage_rows_waiting')).toBe(0)
    await vi.waitUntil(async () => (await metric(gateway.url, 'headgate_store_writable')) === 1, { timeout: 60_000 })
    expect(await gateway.stop()).toBe(0)
    expect(await idsIn(dataDir)).toEqual(asked.sort())
  })

  it('has all rows where there is room again only in the moment of its end', async (context) => {
    const { folder, dataDir, fill, makeRoom } = await smallDisk(context)
    const gateway = await start({ folder })
    fill()
    const asked = await askUntil(gateway.url, async () => (await fetch(`${gateway.url}/readyz`)).status === 503)
    makeRoom()
    expect(await gateway.stop()).toBe(0)
    expect(await idsIn(dataDir)).toEqual(asked.sort())
  })

  it('ends with 1 where there is no room to the end, and names the requests whose rows are lost', async (context) => {
    const { folder, dataDir, fill, makeRoom } = await smallDisk(context)
    const gateway = await start({ folder })
    fill()
    const asked = await askUntil(
      gateway.url,
      async () => (await metric(gateway.url, 'headgate_usage_rows_waiting')) > 20,
    )
    expect(await gateway.stop()).toBe(1)
    const lost = messages(gateway).flatMap(
      (line) => /^\d+ usage rows are lost .*; requests: (.*)$/.exec(line)?.[1]?.split(', ') ?? [],
    )
    expect(lost.length).toBeGreaterThan(20)
    makeRoom()
    await (await start({ folder })).stop()
    expect([...(await idsIn(dataDir)), ...lost].sort()).toEqual(asked.sort())
  })
})

describe('A journal with what the store does not take', () => {
  it('gives all else to it: a refused row and a damaged line lie in a file beside it', async () => {
    const { folder, dataDir } = await folderWith()
    const journal = openJournal({ dataDir, onProblem: () => {} })
    const names = Array.from({ length: 40 }, (_, index) => `req_${String(index).padStart(2, '0')}`)
    for (const requestId of names) {
      const row = usageRow({ requestId, ...(requestId === 'req_07' && { durationMs: Number.NaN }) })
      void journal.append({ kind: 'e', row })
    }
    journal.close()
    const file = join(journal.folder, '000001.log')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"requestId":"req_23"', '"requestId":"req_xx"'))

    const gateway = await start({ folder })
    expect(await metric(gateway.url, 'headgate_usage_rows_quarantined_total')).toBe(2)
    const asked = await ask(gateway.url)
    expect(await gateway.stop()).toBe(0)
    const stored = await idsIn(dataDir)
    expect(stored).toEqual([...names.filter((name) => name !== 'req_07' && name !== 'req_23'), asked.id].sort())
    const aside = putAsideIn(dataDir)
    expect(aside).toHaveLength(2)
    expect(aside.join('\n')).toMatch(/req_07.*\n.*req_xx|req_xx.*\n.*req_07/)
    expect(messages(gateway).filter((line) => line.includes('quarantined'))).toHaveLength(2)
    expect(runsIn(join(dataDir, 'journal'))).toEqual([])
  })
})

/** Sets the clock of a program at each SIGUSR2: an hour back, an hour ahead, right. */
const CLOCK = `import { isMainThread } from 'node:worker_threads'
const now = Date.now
const offsets = [-${HOUR}, ${HOUR}, 0]
let offset = 0
if (isMainThread) {
  Date.now = () => now() + offset
  process.on('SIGUSR2', () => {
    offset = offsets.shift() ?? 0
    process.stdout.write('the clock is set\\n')
  })
}
`

describe('A gateway whose clock is set', { tags: ['full'] }, () => {
  it('measures right, has all rows by the time of the clock, and lets keys expire by it', async () => {
    const { folder, dataDir, streams } = await folderWith({ 'clock.mjs': CLOCK })
    const key = await newKey(dataDir, Date.now() + HOUR / 2)
    const gateway = await start({ folder, environment: { NODE_OPTIONS: `--import=${folder}/clock.mjs` } })
    const began = Date.now()
    const open = await send(gateway.url, { stream: true })
    await vi.waitUntil(() => streams.length === 1, { timeout: 60_000 })
    const asked: Asked[] = [await ask(gateway.url, key)]
    for (const times of [1, 2, 3]) {
      gateway.child.kill('SIGUSR2')
      await vi.waitUntil(() => gateway.output().split('the clock is set').length === times + 1, { timeout: 60_000 })
      asked.push(await ask(gateway.url, key))
    }
    streams[0]?.end(END)
    await open.text()
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 401, 200])
    expect(await gateway.stop()).toBe(0)

    const passed = Date.now() - began
    const rows = await rowsIn(dataDir)
    const [first, back, , right] = asked.map(({ id }) => id)
    const longest = String(open.headers.get('x-request-id'))
    expect(rows.map(({ requestId }) => requestId)).toEqual([back, longest, first, right])
    for (const { requestId, at, durationMs, firstByteMs } of rows) {
      const clock = at + (requestId === back ? HOUR : 0)
      expect(clock).toBeGreaterThanOrEqual(began)
      expect(clock).toBeLessThanOrEqual(began + passed)
      for (const ms of [durationMs, firstByteMs ?? 0]) expect(ms >= 0 && ms <= passed).toBe(true)
    }
  })
})

describe('Two gateways of one data directory', { tags: ['full'] }, () => {
  it('have all rows once, also when one is killed', async () => {
    const { folder, dataDir } = await folderWith()
    const [one, other] = [await start({ folder }), await start({ folder })]
    const rounds = async (url: string): Promise<string[]> => [
      ...(await askUntil(url, async () => true)),
      ...(await askUntil(url, async () => true)),
    ]
    const asked = (await Promise.all([rounds(one.url), rounds(other.url)])).flat()
    const key = await newKey(dataDir)
    for (const { url } of [one, other])
      asked.push(await ask(url, key).then(({ status, id }) => (status === 200 ? id : String(status))))
    one.child.kill('SIGKILL')
    await one.exit
    expect(await other.stop()).toBe(0)
    const stored = await idsIn(dataDir)
    expect(stored).toEqual(asked.sort())
  })
})

/** Writes nonsense over all of a file but its head. */
function damage(file: string, from: number): void {
  const { size } = statSync(file)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size - from, 0xa5), 0, size - from, from)
  closeSync(descriptor)
}

describe('A gateway whose headgate.db is damaged', { tags: ['full'] }, () => {
  it('answers, keeps rows in the journal, and has them once the file is moved away', async () => {
    const { folder, dataDir } = await folderWith()
    const file = join(dataDir, 'headgate.db')
    await (await start({ folder })).stop()
    const unknown = await newKey(dataDir)
    const gateway = await start({ folder })
    // Before it has read what it is about to write: of its memory the file is no part.
    damage(file, 100)
    const asked = await askUntil(gateway.url, async () => (await metric(gateway.url, 'headgate_store_writable')) === 0)
    expect((await ask(gateway.url, unknown)).status).toBe(503)
    expect(await reasons(gateway.url)).toEqual([])
    expect(
      messages(gateway).filter((line) =>
        line.includes('The store does not accept usage rows; they stay in the journal'),
      ),
    ).toHaveLength(1)
    expect(await gateway.stop()).toBe(0)

    const refused = await run(['--port', '0'], { folder })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(file)])
    moveAway(dataDir)
    await (await start({ folder })).stop()
    expect(await idsIn(dataDir)).toEqual(asked.sort())
  })

  it.each([
    ['its head', 0],
    ['all but its head', 100],
    ['all pages but the first', 4_096],
  ])('before it starts, %s, ends with 1, names the file and says what to do', async (_, from) => {
    const { folder, dataDir } = await folderWith()
    await newKey(dataDir)
    damage(join(dataDir, 'headgate.db'), from)
    const { code, stderr } = await run(['--port', '0'], { folder })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/headgate\.db cannot be opened: .*\. Move it away, .*`headgate restore`/),
    ])
  })

  it('before it starts, in what the store holds, starts and goes on as if it had happened later', async () => {
    const { folder, dataDir } = await folderWith()
    const file = join(dataDir, 'headgate.db')
    // All that it needs to start is there before any row is.
    await (await start({ folder })).stop()
    const { size } = statSync(file)
    const journal = openJournal({ dataDir, onProblem: () => {} })
    for (let row = 0; row < 1_000; row++)
      void journal.append({ kind: 'e', row: usageRow({ requestId: `early_${row}` }) })
    journal.close()
    expect(await idsIn(dataDir)).toHaveLength(1_000)
    damage(file, size)

    const gateway = await start({ folder })
    const asked = await askUntil(gateway.url, async () => (await metric(gateway.url, 'headgate_store_writable')) === 0)
    expect(await gateway.stop()).toBe(0)
    moveAway(dataDir)
    expect(await idsIn(dataDir)).toEqual(asked.sort())
  })
})

function moveAway(dataDir: string): void {
  for (const name of globSync('headgate.db*', { cwd: dataDir }))
    renameSync(join(dataDir, name), join(dataDir, `damaged-${name}`))
}
