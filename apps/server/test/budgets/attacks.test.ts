import type { BudgetPeriod } from '@headgate/gateway/ports'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repeated } from '../../../../tools/long-runs.ts'
import { startPostgres } from '../../../../tools/postgres.ts'
import { ATTACKS, type Attack, attack, post } from './attacks.ts'
import { type Charged, type ChargingVendor, startChargingVendor } from './charging-vendor.ts'
import { createConnections } from './crowd.ts'
import { type Deployment, deploy } from './deployment.ts'
import { readSpending } from './spending.ts'
import { PLACES, type Place } from './venue.ts'

const LIMIT = 5_000_000_000n
/** Nano-dollars of an output token. */
const RATE = 100_000n
/** Requests of an attack, of which the money pays for 50, and how many of them at a time. */
const [REQUESTS, CALLERS] = [70, 10]
const CLOCKS = [
  { clocks: 'clocks that go right', environment: {}, period: 'forever' },
  {
    clocks: 'clocks that step',
    environment: { NODE_OPTIONS: `--import=${new URL('./stepping-clock.ts', import.meta.url)}` },
    period: 'day',
  },
] as const satisfies readonly { readonly period: BudgetPeriod; readonly [field: string]: unknown }[]

const paid = ({ within }: Charged): bigint => BigInt(within) * RATE

async function open({ isPostgres = false, ...shape }: Place, environment: Readonly<Record<string, string>>) {
  const postgres = isPostgres ? await startPostgres() : undefined
  if (isPostgres && !postgres) return undefined
  const vendor = await startChargingVendor()
  const openai = { baseUrl: `${vendor.origin}/v1`, apiKey: 'key-of-the-provider' }
  const exact = { exact: { upstream: 'exact', is: 'gpt-4.1' } }
  const chat = { adapter: 'openai-compatible', ...openai, models: exact }
  const price = { input: 0, output: 100 }
  const config = {
    providers: { first: chat, second: chat },
    models: { exact: ['first/exact'], either: ['first/exact', 'second/exact'] },
    prices: { 'first/exact': price, 'second/exact': price },
    limits: { answer: 100_000 },
    times: { backoff: 10 },
  }
  const place = { ...shape, environment, config, ...(postgres && { databaseUrl: postgres.database('attacks') }) }
  const deployment = await deploy(place, vendor.origin)
  onTestFinished(async () => {
    await deployment.remove()
    await vendor.close()
    postgres?.remove()
  })
  return { deployment, vendor }
}

interface Run {
  readonly name: string
  readonly id: string
  readonly charged: Charged
}

/** Makes an attack again and again with a new key, at all nodes, until the key is out of money. */
async function attackWith(
  deployment: Deployment,
  vendor: ChargingVendor,
  one: Attack,
  { id, key }: { id: string; key: string },
): Promise<Run> {
  const agent = createConnections()
  let left = REQUESTS
  const caller = async (nth: number): Promise<void> => {
    const urls = deployment.urls()
    for (let isOut = false; !isOut && left > 0; left -= 1)
      isOut = await attack(agent, { url: urls[(nth + left) % urls.length] ?? '', key }, id, one)
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, nth) => caller(nth)))
  agent.destroy()
  return { name: one.name, id, charged: vendor.charged(id) }
}

/** Has a vendor fail for a while, and then a few callers spend what the key has. */
async function spendAfterOutage(
  deployment: Deployment,
  vendor: ChargingVendor,
  { id, key }: { id: string; key: string },
): Promise<Run> {
  const agent = createConnections()
  const urls = deployment.urls()
  const send = (how: 'error' | 'whole', nth: number) => {
    const messages = [{ role: 'user', content: JSON.stringify({ run: id, how, output: 700 }) }]
    const body = { model: 'exact', messages, max_tokens: 1_000 }
    return post(agent, { url: urls[nth % urls.length] ?? '', path: '/v1/chat/completions', key, body })
  }
  for (let wave = 0; wave < 4; wave += 1) await Promise.all(Array.from({ length: 20 }, (_, nth) => send('error', nth)))
  const caller = async (nth: number): Promise<void> => {
    const until = performance.now() + 60_000
    for (let isOut = false; !isOut && performance.now() < until; ) {
      const { status, isFinal } = await send('whole', nth)
      isOut = status === 429 && isFinal
      if (status !== 200 && !isOut) await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, nth) => caller(nth)))
  agent.destroy()
  return { name: 'an outage and well-behaved callers', id, charged: vendor.charged(id) }
}

/** Clocks at a place. Short runs step clocks only over Postgres, where they must not open a second window. */
const clocksAt = ({ isPostgres = false }: Place) =>
  CLOCKS.filter((one) => one === CLOCKS[0] || repeated(isPostgres, true))

describe.each(PLACES)('A key that can spend five dollars, at $name', { tags: ['full'] }, (place) => {
  it.for(clocksAt(place))(
    'costs no more, whatever its callers and vendors do, and can spend 95 %: with $clocks',
    { timeout: 240_000 },
    async (its, context) => {
      const venue = await open(place, its.environment)
      if (!venue) return context.skip('Postgres is not installed')
      const { deployment, vendor } = venue
      const keys: { id: string; key: string }[] = []
      while (keys.length <= ATTACKS.length) keys.push(await deployment.createKey(LIMIT, its.period))
      const [good, ...bad] = keys
      if (!good) throw new TypeError('There is a key for each attack, and one more.')
      const outage = await spendAfterOutage(deployment, vendor, good)
      const runs = await Promise.all(ATTACKS.map((one, nth) => attackWith(deployment, vendor, one, bad[nth] ?? good)))
      await deployment.stop()
      const { keys: spent, findings } = await readSpending(deployment)
      expect(findings).toEqual([])
      // The store of one machine has that machine's clock, so that requests can lie in the windows of several days.
      const windows = its.period === 'day' && !place.isPostgres ? 3n : 1n
      for (const { name, id, charged } of [...runs, outage]) {
        const { counted = 0n, most = 0n } = spent.get(id) ?? {}
        const over = BigInt(charged.beyond) * RATE
        const facts = { name, ...charged, counted, most }
        expect({ ...facts, isPaid: paid(charged) <= windows * LIMIT }).toEqual({ ...facts, isPaid: true })
        expect({ ...facts, isCounted: counted >= paid(charged) && most <= LIMIT + over }).toEqual({
          ...facts,
          isCounted: true,
        })
        expect({ ...facts, isMade: charged.calls > 5 }).toEqual({ ...facts, isMade: true })
      }
      expect(Number(paid(outage.charged))).toBeGreaterThanOrEqual(0.95 * Number(LIMIT))
    },
  )
})
