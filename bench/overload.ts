import { join } from 'node:path'
import { Pool } from 'undici'
import { startHeadgate } from './headgate.ts'
import { percentile } from './load.ts'
import { type Measured, startNode } from './process.ts'
import { root } from './started.ts'

/** Calls that the endpoint takes at a time, and the mean time of a call: 100 requests per second can be served. */
const CONCURRENT = 50
const CALL_MS = 500
const CAPACITY = (CONCURRENT * 1_000) / CALL_MS
/** Keys with the same load, and their load together as a multiple of the capacity. */
const KEYS = 8
const OVERLOAD = 4
/** Load of a light key in requests per second, and the load of a heavy key as a multiple of it. */
const LIGHT = 5
const HEAVY = 50
/** Time until the queue is full, and default times of the measurements, in seconds. */
const WARM = 5
const SECONDS = 20

/** Requirements: parts, milliseconds, a ratio and Jain's index. */
const LEAST_SERVED = 0.95
const MOST_REFUSAL_MS = 100
const MOST_HEALTH_MS = 50
const MOST_RATIO = 2
const LEAST_JAIN = 0.95

const BODY = JSON.stringify({
  model: 'bench-model',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'The quick brown fox jumps over the lazy dog. '.repeat(20) }],
})

/** Result of one request. */
interface Outcome {
  readonly key: string
  readonly at: number
  readonly status: number
  readonly ms: number
}

/** Offered load of a key. */
interface Offer {
  readonly key: string
  readonly perSecond: number
}

function send(pool: Pool, key: string): Promise<Outcome> {
  const at = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    let status = 0
    const done = (): void => resolve({ key, at, status, ms: performance.now() - at })
    pool.dispatch(
      { path: '/v1/chat/completions', method: 'POST', headers, body: BODY },
      {
        onRequestStart() {},
        onResponseStart(_, answered) {
          status = answered
        },
        onResponseData() {},
        onResponseEnd: done,
        onResponseError: done,
      },
    )
  })
}

/** Sends the requests of all keys at their rates, whether earlier ones have ended or not. */
async function offer(pool: Pool, offers: readonly Offer[], seconds: number): Promise<readonly Outcome[]> {
  const begun = performance.now()
  const sent = offers.map(() => 0)
  const all: Promise<Outcome>[] = []
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = (performance.now() - begun) / 1_000
      for (const [nth, { key, perSecond }] of offers.entries()) {
        // Keys with the same rate do not send at the same time.
        const due = Math.floor(Math.min(passed, seconds) * perSecond + nth / offers.length)
        for (; (sent[nth] ?? 0) < due; sent[nth] = (sent[nth] ?? 0) + 1) all.push(send(pool, key))
      }
      if (passed < seconds) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  return Promise.all(all)
}

/** Requests `/healthz` until it is ended. Returns the sorted times. */
function probeHealth(origin: string): () => Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      const at = performance.now()
      await (await fetch(`${origin}/healthz`)).arrayBuffer()
      times.push(performance.now() - at)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
    return times.sort((one, other) => one - other)
  }
}

/** Jain's index of fairness: 1 = equal. */
function jain(amounts: readonly number[]): number {
  const sum = amounts.reduce((total, one) => total + one, 0)
  return (sum * sum) / (amounts.length * amounts.reduce((total, one) => total + one * one, 0))
}

function sortedTimes(outcomes: readonly Outcome[], status: number): number[] {
  return outcomes
    .filter((one) => one.status === status)
    .map(({ ms }) => ms)
    .sort((one, other) => one - other)
}

async function busyMs(upstream: Measured): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${upstream.port}/busy`)).text())
}

const report = (text: string, isGood: boolean): void => {
  console.log(`${isGood ? 'ok  ' : 'MISS'} ${text}`)
  if (!isGood) process.exitCode = 1
}

/** Four times the load that the upstream can serve, from keys with the same load. */
async function measureOverload(pool: Pool, origin: string, upstream: Measured, seconds: number): Promise<void> {
  const offers = Array.from({ length: KEYS }, (_, nth): Offer => {
    return { key: `sk-equal-${nth}`, perSecond: (OVERLOAD * CAPACITY) / KEYS }
  })
  const health = probeHealth(origin)
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const offering = offer(pool, offers, WARM + seconds)
  await new Promise((resolve) => setTimeout(resolve, WARM * 1_000))
  const [before, from] = [await busyMs(upstream), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000 - 500))
  const served = (await busyMs(upstream)) - before
  const part = served / (CONCURRENT * (performance.now() - from))
  const { user, system } = process.cpuUsage(cpu)
  const generator = (user + system) / 10 / (performance.now() - begun)
  const outcomes = await offering
  const times = await health()
  const refusals = sortedTimes(outcomes, 429)
  const others = outcomes.filter(({ status }) => status !== 200 && status !== 429).length
  const counts = offers.map(({ key }) => outcomes.filter((one) => one.status === 200 && one.key === key).length)
  console.log(
    `${outcomes.length} requests in ${WARM + seconds} s: ${outcomes.length - refusals.length - others} served, ${refusals.length} refused, ${others} failed; CPU of the load generator ${generator.toFixed(0)} %`,
  )
  report(`${(part * 100).toFixed(1)} % of the capacity used (at least ${LEAST_SERVED * 100} %)`, part >= LEAST_SERVED)
  const p99 = percentile(refusals, 99)
  report(
    `time to a 429: p50 ${percentile(refusals, 50).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (at most ${MOST_REFUSAL_MS} ms)`,
    p99 <= MOST_REFUSAL_MS,
  )
  const healthP99 = percentile(times, 99)
  report(`/healthz: p99 ${healthP99.toFixed(1)} ms (at most ${MOST_HEALTH_MS} ms)`, healthP99 <= MOST_HEALTH_MS)
  const index = jain(counts)
  report(`Jain's index of ${KEYS} equal keys: ${index.toFixed(4)} (at least ${LEAST_JAIN})`, index >= LEAST_JAIN)
  report(`${others} other failures (none)`, others === 0)
}

/** A light key alone, and next to a key with 50 times its load. */
async function measureNeighbor(pool: Pool, seconds: number): Promise<void> {
  const light: Offer = { key: 'sk-light', perSecond: LIGHT }
  const heavy: Offer = { key: 'sk-heavy', perSecond: HEAVY * LIGHT }
  const alone = sortedTimes(await offer(pool, [light], seconds), 200)
  const both = await offer(pool, [heavy], WARM).then(() => offer(pool, [heavy, light], seconds))
  const own = both.filter(({ key }) => key === light.key)
  const beside = sortedTimes(own, 200)
  const ratio = percentile(beside, 95) / percentile(alone, 95)
  report(
    `p95 of a light key: ${percentile(alone, 95).toFixed(0)} ms alone, ${percentile(beside, 95).toFixed(0)} ms next to ${HEAVY} times its load: ${ratio.toFixed(2)} times (at most ${MOST_RATIO})`,
    ratio <= MOST_RATIO,
  )
  report(`${own.length - beside.length} of its ${own.length} requests refused (none)`, own.length === beside.length)
}

/**
 * Measures the gateway at four times the load that its upstream can serve: `pnpm bench overload [seconds]`. Exits with 1
 * if a requirement is not met.
 */
export async function benchOverload([seconds = String(SECONDS)]: readonly string[]): Promise<void> {
  const upstream = await startNode([join(root, 'bench/slow-upstream.ts')])
  try {
    const names = ['light', 'heavy', ...Array.from({ length: KEYS }, (_, nth) => `equal-${nth}`)]
    const config = {
      keys: names.map((name) => ({ key: `sk-${name}`, name })),
      providers: {
        'chat-up': {
          adapter: 'openai-compatible',
          baseUrl: `http://127.0.0.1:${upstream.port}/v1`,
          models: ['bench-model'],
          endpoints: [{ name: 'only', apiKey: 'sk-upstream', limits: { concurrent: CONCURRENT } }],
        },
      },
    }
    const gateway = await startHeadgate(root, '', { config })
    try {
      const origin = `http://127.0.0.1:${gateway.port}`
      const pool = new Pool(origin, { pipelining: 1 })
      await offer(pool, [{ key: 'sk-light', perSecond: LIGHT }], 2)
      await measureOverload(pool, origin, upstream, Number(seconds))
      await measureNeighbor(pool, Number(seconds))
      await pool.close()
    } finally {
      await gateway.stop()
    }
  } finally {
    await upstream.stop()
  }
}
