import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Running, start } from '../program.ts'
import { temporaryFolder } from '../temporary.ts'
import { startUpstream } from '../upstream.ts'
import type { Attack, Counts } from './attackers.ts'

const MEGABYTE = 1024 * 1024
const QUOTA = 256 * MEGABYTE
/** Beyond it, resident memory may grow by three times the quota (docs/operations.md). */
const LIMIT = 3 * QUOTA
const SECONDS = 30
/** Small requests per second of the key that attacks nobody. */
const RATE = 30
const WAITING = 100
/** Milliseconds within which a gateway at rest answers 99 % of small requests, on a machine that does nothing else. */
const QUIET = 50
/** Milliseconds by which 99 % of this test's own timers are late at most, on such a machine. */
const LATE = 25

const KEYS = ['sk-calm-0123456789', 'sk-first-attacker-01', 'sk-second-attacker-1'] as const
const agent = new Agent({ keepAlive: true })

/** Milliseconds that a small request took, and its status. */
function measure({ url }: Running): Promise<{ ms: number; status: number }> {
  const startedAt = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<{ ms: number; status: number }>()
  const headers = { authorization: `Bearer ${KEYS[0]}`, 'content-type': 'application/json' }
  const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
    response.resume().on('end', () => resolve({ ms: performance.now() - startedAt, status: response.statusCode ?? 0 }))
  })
  sent.on('error', reject)
  sent.end(JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }] }))
  return promise
}

/** Requests at a steady rate, whether earlier ones were answered or not. */
async function measureAll(
  running: Running,
  seconds: number,
): Promise<{ p50: number; p99: number; late: number; statuses: ReadonlySet<number> }> {
  const all: Promise<{ ms: number; status: number }>[] = []
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  for (let nth = 0; nth < seconds * RATE; nth++) {
    all.push(measure(running))
    await pause(1_000 / RATE)
  }
  const done = await Promise.all(all)
  delay.disable()
  const sorted = done.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  const late = Math.round(delay.percentile(99) / 1e6)
  return { p50: at(0.5), p99: at(0.99), late, statuses: new Set(done.map(({ status }) => status)) }
}

/** A line of `/proc/<pid>/status`, in bytes. */
function memoryOf({ child }: Running, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
}

async function startAttackers() {
  const worker = new Worker(new URL('./attackers.ts', import.meta.url))
  onTestFinished(() => void worker.terminate())
  const [port] = (await once(worker, 'message')) as [number]
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    attack: (attack: Attack) => worker.postMessage(attack),
    async counts(): Promise<Counts> {
      worker.postMessage('counts')
      const [counts] = (await once(worker, 'message')) as [Counts]
      return counts
    },
  }
}

describe.skipIf(process.platform !== 'linux')('A gateway under attack', { tags: ['full'] }, () => {
  it('keeps within its memory, and serves small requests of another key in time', { timeout: 240_000 }, async () => {
    const { baseUrl, attack, counts } = await startAttackers()
    // Another one, so that the time of the attackers' own upstream does not count.
    const upstream = await startUpstream()
    const provider = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret' }
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: KEYS.map((key) => ({ key })),
        providers: {
          calm: { ...provider, baseUrl: upstream.baseUrl, models: ['small'] },
          mine: { ...provider, models: ['large'] },
          silent: { ...provider, models: ['silent'], waiting: WAITING },
        },
        limits: { memory: QUOTA },
        times: { write: 5_000 },
      },
    })
    const running = await start({ folder })
    const calm = await measureAll(running, 5)
    const before = memoryOf(running, 'VmRSS')
    const { url } = running
    attack({ url, kind: 'unread', key: KEYS[1] })
    attack({ url, kind: 'members', key: KEYS[2] })
    attack({ url, kind: 'silent', key: KEYS[2] })
    const attacked = await measureAll(running, SECONDS)
    const all = ['unread 200', 'unread 429', 'members 400', 'silent 429']
    let got: Counts = {}
    // On a machine that does other work, large bodies take longer than the measurement.
    await vi.waitUntil(
      async () => {
        got = await counts()
        return all.every((what) => what in got)
      },
      { timeout: 120_000, interval: 500 },
    )
    const growth = memoryOf(running, 'VmHWM') - before
    const figures = { calm, attacked, growthInMegabytes: Math.round(growth / MEGABYTE), got }
    process.stdout.write(
      `${JSON.stringify(figures, (_, value: unknown) => (value instanceof Set ? [...value] : value))}\n`,
    )
    expect([...attacked.statuses]).toEqual([200])
    expect(growth).toBeLessThan(LIMIT)
    // A machine that does other work delays even a gateway at rest, and the timers of this test.
    if (calm.p99 < QUIET && attacked.late < LATE) expect(attacked.p99).toBeLessThan(250)
  })
})
