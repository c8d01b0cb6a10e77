import { within } from '../../../checks/check.ts'
import { openSearchBench } from '../bench.ts'
import { resultsOf } from '../results.ts'
import { hold, type RemoteSearchSubject, type SearchCheck } from './check.ts'

/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE_MS = 5_000

export const abortCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'ends the upstream request when the caller disconnects',
  async run({ bench }) {
    const caller = new AbortController()
    bench.upstream.answer({ kind: 'silence' })
    const arrival = bench.upstream.arrival()
    const before = bench.rows.length
    const answer = bench.search({ q: 'gateways' }, caller.signal)
    const request = await within(PATIENCE_MS, arrival)
    caller.abort()
    await answer
    if (!request) return ['A caller that disconnects was not served: no request reached the upstream.']
    const closed = await within(PATIENCE_MS, request.closed)
    const status = bench.rows.slice(before).at(-1)?.status
    return [
      ...(closed === 'broken'
        ? []
        : ['A caller disconnected, but the upstream connection stayed open: the adapter must not keep it open.']),
      ...(status === 499 ? [] : [`A caller disconnected, but the usage row has status ${status}, expected 499.`]),
    ]
  },
}

/** Conditions for a process to exit. */
export const lifecycleCheck: SearchCheck = {
  name: 'leaves no connection open when the gateway closes',
  async run(subject) {
    const { adapter, facts } = subject
    const bench = await openSearchBench(adapter, facts.config)
    if (facts.upstream) hold({ ...subject, bench, upstream: facts.upstream }, resultsOf(10))
    await bench.search({ q: facts.find?.[0]?.q ?? 'gateways' })
    const closed = await within(
      PATIENCE_MS,
      bench.close().then(() => true),
    )
    return [
      ...(closed ? [] : ['The gateway does not close: `close` of the backend must resolve.']),
      ...(bench.gateway.inFlight() === 0 ? [] : ['A search is still open after its response.']),
    ]
  },
}
