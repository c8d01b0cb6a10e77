import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRow } from '@headgate/core'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../src/commands/line.ts'
import { open, rows } from './open-ledger.ts'
import { temporaryFolder } from './temporary.ts'
import { usageRow } from './usage-row.ts'

/** What an upstream, or a spill file, may have where a number is due. */
const ODD: readonly unknown[] = [2 ** 53, 2 ** 63, 1e300, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '12', true]
const GONE = 2 ** 22 + 1

/** A row with a value that its type does not allow. */
function oddRow(change: Record<string, unknown>): UsageRow {
  return usageRow({ requestId: 'odd', ...(change as Partial<UsageRow>) })
}

/** A row that no column could take: it has lost the time that it took. */
const refused = (requestId: string): UsageRow => oddRow({ requestId, durationMs: Number.NaN })

function spill(folder: string, lines: readonly (object | string)[]): void {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify({ after: 0, row: line })}\n`).join('')
  writeFileSync(join(folder, `usage-spill-${GONE}-1.jsonl`), text)
}

function putAsideIn(folder: string): Record<string, unknown>[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('usage-put-aside'))
  return files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

async function printed(folder: string): Promise<string> {
  let out = ''
  const print = (text: string): void => {
    out += text
  }
  await runCommandLine({ args: ['usage', '--data-dir', '.'], folder, environment: {}, print, note: print })
  return out
}

describe('A row with a number that is out of range', () => {
  it.each(ODD)('such as %s tokens is stored without it and says so, and so are the rows of its turn', async (odd) => {
    const { ledger, database, ids, problems, folder } = open()
    await Promise.all([
      ledger.settle(usageRow({ requestId: 'before' })),
      ledger.settle(oddRow({ usage: { input: odd, output: 20 } })),
      ledger.settle(usageRow({ requestId: 'after' })),
    ])
    expect(ids()).toEqual(['before', 'odd', 'after'])
    const row = database.prepare("SELECT input, output, cost, losses FROM usage WHERE request_id = 'odd'").get()
    expect(row).toMatchObject({ input: null, output: 20, cost: 1500 })
    expect(JSON.parse(String(row?.['losses']))).toMatchObject([{ path: 'response.usage.input', kind: 'dropped' }])
    expect([problems, putAsideIn(folder), ledger.writable()]).toEqual([[], [], true])
    expect(await printed(folder)).toMatch(/200 +\? +20 +0\.000002 +served/)
  })

  it.each(ODD)('such as a cost of %s is stored without it and says so', async (odd) => {
    const { ledger, database } = open()
    await ledger.settle(oddRow({ cost: odd }))
    const row = database.prepare('SELECT cost, losses FROM usage').get()
    expect(row).toMatchObject({ cost: null, losses: expect.stringContaining('"path":"cost"') })
  })
})

describe('A row that the store refuses', () => {
  it('is put aside with all that it says, and keeps no other row out', async () => {
    const { ledger, ids, problems, folder } = open()
    await Promise.all(
      [usageRow({ requestId: 'before' }), refused('bad'), usageRow({ requestId: 'after' })].map((row) => ledger.settle(row)),
    )
    await ledger.settle(usageRow({ requestId: 'later' }))
    expect(ids()).toEqual(['before', 'after', 'later'])
    expect([ledger.writable(), ledger.putAside(), ledger.lost()]).toEqual([true, 1, 0])
    expect(putAsideIn(folder)).toEqual([
      {
        reason: 'NOT NULL constraint failed: usage.duration_ms',
        row: { ...usageRow({ requestId: 'bad' }), durationMs: 'NaN' },
      },
    ])
    expect(problems).toEqual([
      'The usage row of request bad can not be stored and is put aside: NOT NULL constraint failed: usage.duration_ms',
    ])
  })

  it('does not come back at the next start', async () => {
    const folder = temporaryFolder()
    await open({ folder }).ledger.settle(refused('bad'))
    const { ledger, ids } = open({ folder })
    await ledger.takeIn()
    expect([ids(), ledger.putAside(), putAsideIn(folder)]).toMatchObject([[], 0, [{ row: { requestId: 'bad' } }]])
  })

  it('waits for room where there is none to put it aside', async () => {
    const folder = temporaryFolder()
    let isFull = true
    const kept: unknown[] = []
    const aside = {
      count: () => kept.length,
      add: (one: unknown) => {
        if (isFull) throw new Error('no space left on device')
        kept.push(one)
      },
    }
    const { ledger, ids } = open({ folder, aside })
    await Promise.all([...rows('before'), refused('bad'), ...rows('after')].map((row) => ledger.settle(row)))
    expect(ledger.writable()).toBe(false)
    isFull = false
    await ledger.takeIn()
    expect([ids(), kept.length, ledger.lost(), ledger.writable()]).toEqual([['before', 'after'], 1, 0, true])
  })
})

describe('A start', () => {
  it('takes in a spill file with odd rows and damaged lines: nothing of it is lost, and nothing stays in the way', async () => {
    const folder = temporaryFolder()
    const odd = JSON.stringify({ after: 0, row: usageRow({ requestId: 'odd' }) }).replace('"input":10', '"input":1e300')
    const { durationMs: _, ...short } = usageRow({ requestId: 'short' })
    spill(folder, [...rows('one'), odd, short, '{"after":0,"row":{"requ{"after":0}', '{"after":0,"row":null}', ...rows('two')])
    const { ledger, ids, spillFiles, database } = open({ folder })
    await ledger.takeIn()
    await ledger.settle(usageRow({ requestId: 'new' }))
    expect(ids()).toEqual(['one', 'odd', 'two', 'new'])
    expect(database.prepare("SELECT input, output FROM usage WHERE request_id = 'odd'").get()).toEqual({ input: null, output: 20 })
    expect([spillFiles(), ledger.writable(), ledger.putAside()]).toEqual([[], true, 3])
    expect(putAsideIn(folder)).toMatchObject([
      { row: { requestId: 'short' } },
      { line: '{"after":0,"row":{"requ{"after":0}' },
      { line: '{"after":0,"row":null}' },
    ])
  })
})

describe('headgate usage', () => {
  it('lists what an earlier program has stored beyond what a double holds', async () => {
    const { ledger, database, folder } = open()
    await ledger.settle(usageRow())
    database.exec('UPDATE usage SET input = 9223372036854775807, cost = 9007199254740993500, started_at = 9223372036854775807')
    expect(await printed(folder)).toMatch(/\n\? .* 9223372036854775807 +20 +9007199254\.740994 +served\n/)
  })
})
