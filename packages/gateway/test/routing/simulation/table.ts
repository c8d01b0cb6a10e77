import { onlyEndpoint, oracle, type PlayResult, plainHashing, play, withPolicy } from './play.ts'
import type { TraceRequest } from './trace.ts'
import { AUTOMATIC, IMPLICIT, MARKED } from './upstream.ts'

/** Results of one trace with different choices of the endpoint. */
export interface Comparison {
  /** One endpoint that serves all requests: one result for each kind of cache. */
  readonly alone: readonly PlayResult[]
  /** Mean of the cached tokens of `alone`. */
  readonly aloneCached: number
  readonly policy: PlayResult
  readonly oracle: PlayResult
  /** Further results by name, in the order of the table. */
  readonly others: readonly (readonly [name: string, result: PlayResult])[]
}

/** Plays a trace with the policy, with the oracle, and on one endpoint. */
export function compare(trace: readonly TraceRequest[], isWhole: boolean): Comparison {
  const alone = [MARKED, AUTOMATIC, IMPLICIT].map((rules) => play(trace, onlyEndpoint(), [rules]))
  const aloneCached = alone.reduce((sum, { cached }) => sum + cached, 0) / alone.length
  const others: [string, PlayResult][] = []
  if (isWhole) {
    others.push(
      ['without the load limit', play(trace, withPolicy({ loadBound: true }))],
      ['without the probability', play(trace, withPolicy({ probability: true }))],
      ['without session ids', play(trace, withPolicy({ hint: true }))],
      ['without observation', play(trace, withPolicy({ observation: true }))],
    )
  }
  others.push(
    ['plain hashing of the first block', play(trace, plainHashing())],
    ['without affinity', play(trace, withPolicy({ affinity: true }))],
  )
  return { alone, aloneCached, policy: play(trace, withPolicy()), oracle: bestOracle(trace), others }
}

/** Oracle with the lowest cost whose load is even. */
function bestOracle(trace: readonly TraceRequest[]): PlayResult {
  const results = [0.5, 1, 2].map((penalty) => play(trace, oracle(penalty)))
  const even = results.filter(({ load }) => load <= 1.25)
  return even.reduce((best, one) => (one.cost < best.cost ? one : best), even[0] ?? play(trace, oracle(8)))
}

/** Results as a Markdown table. */
export function tableOf({ alone, aloneCached, policy, oracle: known, others }: Comparison): string {
  const [marked, automatic, implicit] = alone
  const rows: (readonly [string, PlayResult | undefined])[] = [
    ['one endpoint, marked cache', marked],
    ['one endpoint, automatic cache', automatic],
    ['one endpoint, implicit cache', implicit],
    ['oracle that knows every cache', known],
    ['**affinity**', policy],
    ...others,
  ]
  const lines = rows.map(([name, result]) => {
    if (!result) return ''
    const { cached, input, cost, load, peak, moved } = result
    const cells = [
      name,
      percent(cached / input),
      percent(cached / aloneCached),
      `${(cost / known.cost).toFixed(3)} ×`,
      `${load.toFixed(2)} ×`,
      `${peak.toFixed(2)} ×`,
      percent(moved),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head = [
    '| choice | input that is cached | compared with one endpoint | cost, of the oracle | calls, of the mean | in five minutes | turns that moved |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ]
  return [...head, ...lines].join('\n')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
