import { setTimeout as wait } from 'node:timers/promises'
import type { AppliedLimit } from '@headgate/gateway/ports'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Allocations, createAllocations } from '../../../fleet/src/index.ts'
import { openThree } from '../support/processes.ts'
import { temporaryDatabase } from '../support/stores.ts'

const LIMIT = { requestsPerMinute: 100, tokensPerMinute: 10_000, concurrent: 4 } as const
const LIMITS: readonly AppliedLimit[] = [{ scope: 'key', id: 'alice', limit: LIMIT }]
const MINUTE = 60_000
/** Milliseconds of load: longer than a window. */
const LOAD = 75_000
/** Milliseconds between two requests of a node. */
const PAUSE = 100

/** Admitted request. */
interface Admitted {
  readonly at: number
  readonly tokens: number
  endedAt: number
}

describe.skipIf(!process.env['TEST_DATABASE_URL'])(
  'Three nodes that share rates by Postgres',
  { tags: ['full'] },
  () => {
    it('exceed no limit in any 60 seconds, and use 90 % of it', async () => {
      const stores = await openThree(await temporaryDatabase())
      const admitted: Admitted[] = []
      const until = performance.now() + LOAD
      await Promise.all(
        stores.map(async ({ rates }, index) => {
          if (!rates) return expect.fail('Postgres has shared rates.')
          const node = createAllocations({ shared: rates, node: `node-${index}`, nodes: 3 })
          onTestFinished(() => node.end())
          const running: Promise<void>[] = []
          while (performance.now() < until) {
            running.push(request(node, admitted))
            await wait(PAUSE)
          }
          await Promise.all(running)
          expect(node.state()).toEqual({ isShared: true, reasons: [] })
        }),
      )
      const within = (from: number) => admitted.filter(({ at }) => at >= from && at < from + MINUTE)
      const tokensOf = (some: readonly Admitted[]) => some.reduce((sum, { tokens }) => sum + tokens, 0)
      const running = (at: number) => admitted.filter((one) => one.at <= at && at < one.endedAt).length
      for (const { at } of admitted) {
        expect(within(at).length).toBeLessThanOrEqual(LIMIT.requestsPerMinute)
        expect(tokensOf(within(at))).toBeLessThanOrEqual(LIMIT.tokensPerMinute)
        expect(running(at)).toBeLessThanOrEqual(LIMIT.concurrent)
      }
      const first = within(Math.min(...admitted.map(({ at }) => at)))
      const used = Math.max(first.length / LIMIT.requestsPerMinute, tokensOf(first) / LIMIT.tokensPerMinute)
      expect(used).toBeGreaterThanOrEqual(0.9)
    })
  },
)

/** A request of 40 to 160 tokens, of which it reserves all. */
async function request(node: Allocations, admitted: Admitted[]): Promise<void> {
  const tokens = 40 + Math.floor(Math.random() * 120)
  const slot = await node.take({ limits: LIMITS, tokens: { input: tokens, output: 0 } })
  if (!('leave' in slot)) return
  const one: Admitted = { at: performance.now(), tokens, endedAt: Number.POSITIVE_INFINITY }
  admitted.push(one)
  await wait(20)
  one.endedAt = performance.now()
  slot.leave(tokens)
}
