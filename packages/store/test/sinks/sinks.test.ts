import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SinkBatch } from '@headgate/gateway/operate'
import { HeadgateError } from '@headgate/gateway/ports'
import { expect, it, vi } from 'vitest'
import { csvHead } from '../../src/usage/export.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { temporaryFolder } from '../support/stores.ts'
import { idsOf, localSink, openLocal, simulatedClock } from './support.ts'

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000 })
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ledgerRow(from + index))

it('A sink gets each row once, as a record with the columns of CSV exports', async () => {
  const batches: SinkBatch[] = []
  const clock = simulatedClock(START)
  const sinks = openLocal(
    temporaryFolder(),
    localSink((batch) => void batches.push(batch)),
    { clock },
  )
  sinks.rows(rows(0, 3))
  await until(() => batches.length === 1)
  expect(batches.flatMap(idsOf)).toEqual(rows(0, 3).map(({ id }) => id))
  const [batch] = batches
  const record = JSON.parse(batch?.lines[0] ?? '')
  expect(Object.keys(record).sort()).toEqual(csvHead().trim().split(',').sort())
  expect(record).toMatchObject({ time: '2023-11-14T22:13:20.000Z', project: `project of ${rows(0, 1)[0]?.principal}` })
  expect(batch?.id).toBe(`${rows(0, 1)[0]?.id}-${rows(2, 3)[0]?.id}`)
  expect(Buffer.from(batch?.content ?? []).toString()).toBe(`${batch?.lines.join('\n')}\n`)
  // The row waited for others.
  expect(clock.at - START).toBeGreaterThanOrEqual(5_000)
  await sinks.close()
})

it('A batch ends at its number of rows and bytes, and continues with the next row', async () => {
  const sizes: number[] = []
  const limits = { rows: 10, bytes: 4_000, waitMs: 1_000 }
  const sink = localSink(({ lines }) => void sizes.push(lines.length), { limits })
  const sinks = openLocal(temporaryFolder(), sink, { clock: simulatedClock(START) })
  sinks.rows(rows(0, 100))
  await until(() => sizes.reduce((sum, size) => sum + size, 0) === 100)
  expect(Math.max(...sizes)).toBeLessThan(10)
  await sinks.close()
})

it('Batches of a partition have one project and one hour each', async () => {
  const batches: SinkBatch[] = []
  const sink = localSink((batch) => void batches.push(batch), { partition: 'hour-project' })
  const sinks = openLocal(temporaryFolder(), sink, { clock: simulatedClock(START) })
  sinks.rows([ledgerRow(1, { principal: 'a' }), ledgerRow(2, { principal: 'b' }), ledgerRow(3, { principal: 'a' })])
  sinks.rows([ledgerRow(4, { principal: 'a', startedAt: START + 3_600_000 })])
  await until(() => batches.length === 3)
  expect(batches.map(({ project, hour, lines }) => [project, hour, lines.length])).toEqual([
    ['project of a', '2023-11-14T22', 2],
    ['project of b', '2023-11-14T22', 1],
    ['project of a', '2023-11-14T23', 1],
  ])
  await sinks.close()
})

it('A batch is repeated with its id after failures that pass, also by the next process', async () => {
  const folder = temporaryFolder()
  const ids: string[] = []
  const failing = localSink(({ id }) => {
    ids.push(id)
    throw new HeadgateError('our-credential', 'The credential is wrong.')
  })
  const clock = simulatedClock(START)
  const first = openLocal(folder, failing, { clock })
  first.rows(rows(0, 10))
  await until(() => ids.length >= 4)
  await first.close()
  expect(first.problems).toEqual([expect.stringContaining('wait on disk: The credential is wrong')])
  const batches: SinkBatch[] = []
  const second = openLocal(
    folder,
    localSink((batch) => void batches.push(batch)),
    { clock: simulatedClock(START) },
  )
  second.rows(rows(10, 12))
  await until(() => batches.flatMap(idsOf).length === 12)
  expect(new Set([...ids, batches[0]?.id]).size).toBe(1)
  await second.close()
  // Folders of ended processes are deleted.
  expect(readdirSync(join(folder, 'exports/local')).filter((name) => name.length === 36)).toHaveLength(1)
})

it('A pause is as long as the destination asks for, and doubles otherwise', async () => {
  let failures = 0
  const sink = localSink(() => {
    failures++
    if (failures === 1) throw new HeadgateError('rate-limited', 'Later.', { retryAfterMs: 77_000 })
    if (failures < 6) throw new HeadgateError('upstream', 'Broken.')
  })
  const clock = simulatedClock(START)
  const sinks = openLocal(temporaryFolder(), sink, { clock })
  sinks.rows(rows(0, 1))
  await until(() => failures === 6)
  const pauses = clock.waits.filter((ms) => ms !== 1_000)
  expect(pauses[0]).toBe(77_000)
  expect(pauses.slice(1, 5).every((ms, index) => ms >= 1_000 * 2 ** index && ms <= 2_000 * 2 ** index)).toBe(true)
  await sinks.close()
  expect(sinks.problems.at(-1)).toContain('again')
})

it('A rejected batch is set aside and does not stop the sink; a large one is divided', async () => {
  const folder = temporaryFolder()
  const taken: string[] = []
  const bad = ledgerRow(5).id
  const sink = localSink((batch) => {
    if (batch.lines.length > 4) throw new HeadgateError('too-large', 'Too large.')
    if (idsOf(batch).includes(bad)) throw new HeadgateError('invalid-request', 'A row is wrong')
    taken.push(...idsOf(batch))
  })
  const sinks = openLocal(folder, sink, { clock: simulatedClock(START) })
  sinks.rows(rows(0, 16))
  await until(() => taken.length === 12)
  await sinks.close()
  const place = join(folder, 'exports/local/refused')
  const [file = ''] = readdirSync(place)
  expect(readFileSync(join(place, file), 'utf8').trim().split('\n')).toHaveLength(4)
  expect(sinks.problems).toEqual([expect.stringContaining('rejected 4 usage rows: A row is wrong')])
})

it('A full backlog leaves out the newest rows, counts them for the next process, and continues', async () => {
  const folder = temporaryFolder()
  let isAway = true
  const taken: string[] = []
  const sink = localSink((batch) => {
    if (isAway) throw new HeadgateError('upstream', 'Away.')
    taken.push(...idsOf(batch))
  })
  const options = { clock: simulatedClock(START), maxBacklog: 20_000 }
  const first = openLocal(folder, sink, options)
  for (let at = 0; at < 100; at += 5) first.rows(rows(at, at + 5))
  await first.close()
  expect(first.problems.filter((problem) => problem.includes('is full'))).toHaveLength(1)
  isAway = false
  const second = openLocal(folder, sink, { ...options, clock: simulatedClock(START) })
  await until(() => second.states.at(-1)?.waitingBytes === 0 && taken.length > 0)
  const { sent = 0, leftOut = 0 } = second.states.at(-1) ?? {}
  expect(sent).toBe(taken.length)
  expect(sent + leftOut).toBe(100)
  expect(taken).toEqual(rows(0, sent).map(({ id }) => id))
  second.rows(rows(100, 101))
  await until(() => taken.at(-1) === ledgerRow(100).id)
  await second.close()
})

it('Two processes with one data directory deliver by one, and the other continues', async () => {
  const folder = temporaryFolder()
  const taken: [string, string][] = []
  const sinkOf = (name: string) =>
    localSink((batch) => void taken.push(...idsOf(batch).map((id) => [name, id] as const as [string, string])))
  const one = openLocal(folder, sinkOf('one'), { clock: simulatedClock(START) })
  const other = openLocal(folder, sinkOf('other'), { clock: simulatedClock(START) })
  one.rows(rows(0, 5))
  other.rows(rows(5, 10))
  await until(() => taken.length === 10)
  expect(new Set(taken.map(([name]) => name))).toEqual(new Set(['one']))
  await one.close()
  other.rows(rows(10, 12))
  await until(() => taken.length === 12)
  expect(taken.at(-1)?.[0]).toBe('other')
  await other.close()
})
