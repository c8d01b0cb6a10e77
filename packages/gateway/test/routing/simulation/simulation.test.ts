import { describe, expect, it } from 'vitest'
import { compare, tableOf } from './table.ts'
import { createTrace, type TraceRequest } from './trace.ts'

/** A tenth of the trace for each run, and the whole trace for `pnpm test:full`. */
const TRACES = [
  { sessions: 100, options: {} },
  { sessions: 1_000, options: { tags: ['full'] } },
]

const traces = new Map<number, readonly TraceRequest[]>()

/** Trace of a number of sessions, written once. */
function traceOf(sessions: number): readonly TraceRequest[] {
  const trace = traces.get(sessions) ?? createTrace(sessions)
  traces.set(sessions, trace)
  return trace
}

describe.each(TRACES)(
  'A trace of $sessions coding-agent sessions on three clouds with two credentials each',
  ({ sessions, options }) => {
    it('has the cached input of one endpoint, an even load, and the cost of an oracle', options, () => {
      const results = compare(traceOf(sessions), false)
      const { policy, oracle, aloneCached, others } = results
      const table = tableOf(results)
      expect(policy.requests, table).toBeGreaterThan(sessions * 20)
      expect(policy.cached / aloneCached, table).toBeGreaterThanOrEqual(0.95)
      expect(policy.load, table).toBeLessThanOrEqual(1.25)
      expect(policy.cost / oracle.cost, table).toBeLessThanOrEqual(1.03)
      const [hashing, random] = others.map(([, result]) => result)
      expect(hashing?.load, table).toBeGreaterThan(1.25)
      expect(random?.cost, table).toBeGreaterThan(policy.cost * 1.2)
    })
  },
)

describe('The trace', () => {
  it('is the same for the same seed', () => {
    const [one, same, other] = [createTrace(5, 1), createTrace(5, 1), createTrace(5, 2)]
    expect(one).toEqual(same)
    expect(one).not.toEqual(other)
  })

  it('has growing conversations, shared beginnings, and pauses beyond the lifetime of caches', () => {
    const trace = traceOf(100)
    const bySession = Map.groupBy(trace, ({ session }) => session)
    const pauses = [...bySession.values()].flatMap((requests) =>
      requests.slice(1).map(({ startsAt }, i) => startsAt - (requests[i]?.endsAt ?? 0)),
    )
    expect(pauses.some((pause) => pause > 600_000)).toBe(true)
    for (const requests of bySession.values()) {
      const tokens = requests.map(({ input }) => input)
      expect(tokens).toEqual(tokens.toSorted((one, other) => one - other))
    }
    const firsts = [...bySession.values()].map(([first]) => first?.prefix.hashes[0])
    expect(new Set(firsts).size).toBeLessThan(bySession.size / 2)
  })
})
