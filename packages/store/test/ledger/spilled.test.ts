import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRow } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import { takeSpilled } from '../../src/ledger/spilled.ts'
import { usagePage } from '../../src/usage/page.ts'
import { openParts, putAsideIn, row } from './ledgers.ts'

/** No process has this id. */
const GONE = 2 ** 22 + 1

/** A row as the program before the journal spilled it. */
function spilled(requestId: string, change: Readonly<Record<string, unknown>> = {}): string {
  const { id: _, charged: __, ...rest }: UsageRow = row(requestId, change)
  return JSON.stringify({ after: 0, row: rest })
}

function spill(dataDir: string, lines: readonly string[], owner = GONE): void {
  writeFileSync(join(dataDir, `usage-spill-${owner}-1.jsonl`), lines.join('\n'))
}

const filesIn = (dataDir: string): string[] => readdirSync(dataDir).filter((name) => name.startsWith('usage-spill'))

describe('Rows that an earlier program has spilled', () => {
  it('are taken in once, however often; those that it had stored already are not', async () => {
    const { parts, dataDir, connection, ids } = await openParts()
    const lines = [spilled('one'), spilled('two', { billed: false, why: 'failed' }), '']
    for (let turn = 0; turn < 2; turn += 1) {
      spill(dataDir, lines)
      await takeSpilled(parts)
    }
    expect([await ids(), filesIn(dataDir)]).toEqual([['one', 'two'], []])
    expect(
      (await usagePage(connection, { limit: 2 })).map(({ requestId, charged }) => [requestId, charged]).sort(),
    ).toEqual([
      ['one', '1500'],
      ['two', '0'],
    ])
    await connection.db
      .updateTable('usage')
      .set({ id: 'as the migration has it' })
      .where('request_id', '=', 'one')
      .execute()
    spill(dataDir, lines)
    await takeSpilled(parts)
    expect(await ids()).toEqual(['one', 'two'])
  })

  it('with odd numbers and damaged lines lose nothing: what is no row is put aside, and nothing stays in the way', async () => {
    const { parts, dataDir, connection, ids } = await openParts()
    const odd = spilled('odd').replace('"input":10', '"input":1e300')
    const short = spilled('short').replace('"durationMs":34,', '')
    const damaged = ['{"after":0,"row":{"requ{"after":0}', '{"after":0,"row":null}']
    spill(dataDir, [spilled('one'), odd, short, ...damaged, spilled('two'), '{"after":0,"row":{"requestI'])
    await takeSpilled(parts)
    expect([await ids(), filesIn(dataDir)]).toEqual([['odd', 'one', 'two'], []])
    expect((await usagePage(connection, { limit: 9 })).find(({ requestId }) => requestId === 'odd')).toMatchObject({
      input: null,
    })
    expect(putAsideIn(dataDir)).toMatchObject([{ row: { requestId: 'short' } }, ...damaged.map((line) => ({ line }))])
  })

  it('are left where the program still runs', async () => {
    const { parts, dataDir, ids } = await openParts()
    spill(dataDir, [spilled('one'), ''], process.ppid)
    await takeSpilled(parts)
    expect([await ids(), filesIn(dataDir)]).toMatchObject([[], { length: 1 }])
  })
})
