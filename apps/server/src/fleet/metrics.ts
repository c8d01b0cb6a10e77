import type { RedisCalls } from '@headgate/fleet/redis'
import { Counter, Gauge, type Registry } from 'prom-client'

/** State of shared rate limits, for metrics. */
export interface FleetState {
  /** True while rate limits are counted for all nodes. */
  isShared(): boolean
  /** Calls of Redis; absent without Redis. */
  calls?(): Readonly<RedisCalls>
}

/** Registers the metrics of shared rate limits. */
export function registerFleet({ isShared, calls }: FleetState, registers: Registry[]): void {
  new Gauge({
    name: 'headgate_rates_shared',
    help: '1 while rate limits are counted for all nodes, 0 while the shared store is unreachable and the node uses its allocations. Absent without a shared store.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(Number(isShared()))
    },
  })
  if (!calls) return
  new Counter({
    name: 'headgate_redis_calls_total',
    help: 'Calls of Redis, by result: `answered`, `failed` (no answer in time), `refused` (an error) or `skipped` (Redis was unreachable).',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, value] of Object.entries(calls())) this.inc({ result }, value)
    },
  })
}
