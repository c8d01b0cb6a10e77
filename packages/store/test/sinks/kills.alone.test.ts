import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { START } from '../support/rows.ts'
import { temporaryFolder } from '../support/stores.ts'

const ROWS = 1_000_000
const KILLS = 20
const HOUR = 3_600_000
/** The target is unreachable for an hour of simulated time after this number of rows. */
const OUTAGE_AFTER = 400_000

interface Target {
  /** Times that each row arrived. */
  readonly seen: Uint8Array
  /** First rows and sizes of batches by id. */
  readonly batches: Map<string, string>
  rows: number
  /** Latest simulated time of the process. */
  now: number
  outage: { from: number; until: number; refused: number } | undefined
  requests: number
}

function receive(target: Target, id: string, now: number, body: Buffer): number {
  target.requests++
  target.now = Math.max(target.now, now)
  if (target.rows >= OUTAGE_AFTER) target.outage ??= { from: now, until: now + HOUR, refused: 0 }
  if (target.outage && now < target.outage.until) {
    target.outage.refused++
    return 503
  }
  const numbers = [
    ...gunzipSync(body)
      .toString()
      .matchAll(/"request_id":"req_(\d+)"/g),
  ].map(([, number]) => Number(number))
  for (const number of numbers) {
    if (target.seen[number] === 0) target.rows++
    target.seen[number] = (target.seen[number] ?? 0) + 1
  }
  const content = `${numbers[0]} ${numbers.length}`
  // A repeated batch has the same rows.
  expect(target.batches.get(id) ?? content).toBe(content)
  target.batches.set(id, content)
  return 200
}

/** Resolves when all rows have arrived. Kills the process after every few requests, before or after the response. */
async function run(folder: string, target: Target): Promise<number> {
  let kills = 0
  let child: ChildProcess | undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  const killsNow = (): boolean => kills < KILLS && target.requests >= (kills + 1) * 9
  const server = createServer((request, response) => {
    const of = child
    void buffer(request)
      .then((body) => {
        const { 'x-batch': id, 'x-now': now } = request.headers
        const isKilled = of === child && killsNow()
        const isBefore = kills % 2 === 0
        if (isKilled) kills++
        if (isKilled && isBefore) return of?.kill('SIGKILL')
        response.writeHead(receive(target, String(id), Number(now), body)).end(() => isKilled && of?.kill('SIGKILL'))
        if (target.rows === ROWS && kills === KILLS) resolve()
      })
      .catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let isOver = false
  const start = (): void => {
    const script = join(import.meta.dirname, 'exporting-process.ts')
    const own = ['--conditions=@headgate/source', '--disable-warning=ExperimentalWarning', script]
    child = spawn(process.execPath, [...own, folder, url, String(ROWS), String(target.now)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('exit', () => isOver || start())
  }
  start()
  await promise
  isOver = true
  child?.kill('SIGKILL')
  server.closeAllConnections()
  server.close()
  return kills
}

it('A million rows reach the target through 20 kills and an hour without it', {
  tags: ['full'],
  timeout: 300_000,
}, async ({ annotate }) => {
  const target: Target = {
    seen: new Uint8Array(ROWS),
    batches: new Map(),
    rows: 0,
    now: START,
    outage: undefined,
    requests: 0,
  }
  const kills = await run(temporaryFolder(), target)
  const lost = target.seen.filter((times) => times === 0).length
  const repeated = target.seen.filter((times) => times > 1).length
  expect({ lost, kills }).toEqual({ lost: 0, kills: KILLS })
  expect(target.outage?.refused).toBeGreaterThan(50)
  expect(repeated).toBeGreaterThan(0)
  await annotate(`${ROWS} rows, ${kills} kills, ${target.outage?.refused} refused requests, ${repeated} repeated rows`)
})
