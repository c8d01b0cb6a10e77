import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../src/store/database.ts'
import { createSpill } from '../src/store/spill.ts'
import { createUsageTable } from '../src/store/usage.ts'
import { fill, many, open, requestIds, rows } from './open-ledger.ts'
import { temporaryFolder } from './temporary.ts'
import { usageRow } from './usage-row.ts'

describe('a usage row', () => {
  it('says whether its counts are an estimate, in a store of an older version too', async () => {
    const folder = temporaryFolder()
    const older = openDatabase(folder)
    createUsageTable(older).insert(rows('old'))
    older.exec('ALTER TABLE usage DROP COLUMN units; ALTER TABLE usage DROP COLUMN estimated; PRAGMA user_version = 2')
    older.close()
    const { ledger, database } = open({ folder })
    await ledger.settle(usageRow({ requestId: 'guessed', estimated: true }))
    await ledger.settle(usageRow({ requestId: 'counted' }))
    expect(database.prepare('SELECT request_id, estimated FROM usage ORDER BY id').all()).toEqual([
      { request_id: 'old', estimated: 0 },
      { request_id: 'guessed', estimated: 1 },
      { request_id: 'counted', estimated: 0 },
    ])
  })

  it('is stored with what was said, and null for what was not', async () => {
    const { ledger, database } = open()
    const losses = [{ path: 'temperature', kind: 'dropped', reason: 'not accepted' }] as const
    await ledger.settle(usageRow({ usage: { input: 10, output: 20, cacheRead: 3 }, losses, durationMs: 33.6 }))
    await ledger.settle(
      usageRow({ requestId: 'req_2', cost: null, priceId: null, billed: false, why: 'failed', status: 500, failure: 'upstream' }),
    )
    const [first, second] = database.prepare('SELECT * FROM usage').all()
    expect(first).toMatchObject({
      request_id: 'req_1',
      input: 10,
      cache_read: 3,
      cache_write: null,
      cost: 1500,
      billed: 1,
      translated: 1,
      stream: 0,
      failure: null,
    })
    expect(first).toMatchObject({ losses: JSON.stringify(losses), duration_ms: 34, finish: 'stop' })
    expect(second).toMatchObject({
      request_id: 'req_2',
      cost: null,
      price_id: null,
      billed: 0,
      why: 'failed',
      failure: 'upstream',
      losses: null,
    })
  })

  it('has a row for each call of an upstream', async () => {
    const { ledger, database } = open()
    const [attempt] = usageRow().attempts
    if (!attempt) throw new Error('The row has an attempt.')
    const { status: _, ...unanswered } = attempt
    await ledger.settle(usageRow({ attempts: [{ ...unanswered, provider: 'first', failure: 'timeout' }, attempt] }))
    expect(database.prepare('SELECT usage_id, position, provider, status, failure FROM usage_attempts').all()).toEqual([
      { usage_id: 1, position: 0, provider: 'first', status: null, failure: 'timeout' },
      { usage_id: 1, position: 1, provider: 'mine', status: 200, failure: null },
    ])
  })

  it('with numbers that no column could hold does not keep others out', async () => {
    const { ledger, ids } = open()
    await Promise.all([
      ledger.settle(usageRow({ usage: { input: Number.NaN, output: 1.5 } })),
      ledger.settle(usageRow({ requestId: 'req_2' })),
    ])
    expect(ids()).toEqual(['req_1', 'req_2'])
  })

  it('is committed together with the others of its turn, before its promise resolves', async () => {
    const { ledger, insert, folder } = open()
    await Promise.all(many('a').map((row) => ledger.settle(row)))
    expect(insert.mock.calls.map(([rows]) => rows.length)).toEqual([100])
    const other = openDatabase(folder)
    onTestFinished(() => other.close())
    expect(requestIds(other)).toHaveLength(100)
  })
})

describe('when the store can not be written', () => {
  it('rows go to a spill file, the promise resolves, and they come back when it can', async () => {
    const { ledger, database, ids, problems, spillFiles, folder } = open()
    await ledger.settle(usageRow({ requestId: 'before' }))
    const makeRoom = fill(database)
    await Promise.all(many('full').map((row) => ledger.settle(row)))
    expect(ledger.writable()).toBe(false)
    expect(ids()).toEqual(['before'])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('database or disk is full')
    const [file = ''] = spillFiles()
    expect(readFileSync(join(folder, file), 'utf8').trim().split('\n')).toHaveLength(100)
    expect((statSync(join(folder, file)).mode & 0o777).toString(8)).toBe('600')

    makeRoom()
    await vi.waitUntil(() => ledger.writable() && spillFiles().length === 0, { timeout: 5_000 })
    await ledger.settle(usageRow({ requestId: 'after' }))
    expect(ids()).toEqual(['before', ...many('full').map(({ requestId }) => requestId), 'after'])
    expect(database.prepare('SELECT count(*) AS count FROM usage_attempts').get()).toEqual({ count: 102 })
  })

  it('because another process holds it, the same is true', async () => {
    const { ledger, folder, ids, spillFiles } = open()
    const other = openDatabase(folder)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    await ledger.settle(usageRow())
    expect(ledger.writable()).toBe(false)
    other.exec('COMMIT')
    await vi.waitUntil(() => ledger.writable() && spillFiles().length === 0, { timeout: 5_000 })
    expect(ids()).toEqual(['req_1'])
  })

  it('nor the spill file, rows wait in memory', async () => {
    const folder = temporaryFolder()
    const spill = createSpill(folder)
    const append = vi.spyOn(spill, 'append').mockImplementation((rows) => ({ rows, error: new Error('no space left on device') }))
    const { ledger, database, ids, problems } = open({ folder, spill })
    const makeRoom = fill(database)
    await Promise.all(many('held').map((row) => ledger.settle(row)))
    expect(problems[0]).toContain('no space left on device): 100 usage rows wait in memory, 0 are lost')
    makeRoom()
    await vi.waitUntil(() => ledger.writable(), { timeout: 5_000 })
    await vi.waitUntil(() => ids().length === 100)
    expect(append).toHaveBeenCalledOnce()
  })

  it('until the end of the process, the next start takes the rows in, once', async () => {
    const folder = temporaryFolder()
    const gone = 2 ** 22 + 1
    const spilled = rows('one', 'two', 'three').map((row) => JSON.stringify({ after: 0, row }))
    writeFileSync(join(folder, `usage-spill-${gone}-1.jsonl`), `${spilled.join('\n')}\n{"after":0,"row":{"requestI`)
    const { ledger, ids, spillFiles } = open({ folder })
    // What an earlier take-in had committed before the process died.
    await ledger.settle(usageRow({ requestId: 'two' }))
    await ledger.takeIn()
    expect(ids()).toEqual(['two', 'one', 'three'])
    expect(spillFiles()).toEqual([])
  })

  it('the spill file of another process that runs is left to it', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, `usage-spill-${process.ppid}-1.jsonl`), `${JSON.stringify({ after: 0, row: usageRow() })}\n`)
    const { ledger, ids, spillFiles } = open({ folder })
    await ledger.takeIn()
    expect(ids()).toEqual([])
    expect(spillFiles()).toHaveLength(1)
  })
})

describe('a process that is killed', () => {
  it('loses no row whose promise has resolved', async () => {
    const folder = temporaryFolder()
    const child = spawn(process.execPath, ['--conditions=@headgate/source', join(import.meta.dirname, 'ledger-writer.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let settled = 0
    for await (const chunk of child.stdout) {
      settled += chunk.length
      if (settled > 2_000) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    const { ids, database } = open({ folder })
    expect(ids().length).toBeGreaterThanOrEqual(settled)
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })
})
