import { within } from '../../../checks/check.ts'
import { openSearchHarness } from '../harness.ts'
import { resultsOf } from '../results.ts'
import { hold, type RemoteSearchTarget, type SearchCheck } from './check.ts'

/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE_MS = 5_000

export const abortCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'ends the upstream request when the caller disconnects',
  async run({ harness }) {
    const caller = new AbortController()
    harness.upstream.answer({ kind: 'silence' })
    const arrival = harness.upstream.arrival()
    const before = harness.rows.length
    const answer = harness.search({ q: 'gateways' }, caller.signal)
    const request = await within(PATIENCE_MS, arrival)
    caller.abort()
    await answer
    if (!request) return ['A caller that disconnects was not served: no request reached the upstream.']
    const closed = await within(PATIENCE_MS, request.closed)
    const status = harness.rows.slice(before).at(-1)?.status
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
  async run(target) {
    const { adapter, facts } = target
    const harness = await openSearchHarness(adapter, facts.config)
    if (facts.upstream) hold({ ...target, harness, upstream: facts.upstream }, resultsOf(10))
    await harness.search({ q: facts.find?.[0]?.q ?? 'gateways' })
    const closed = await within(
      PATIENCE_MS,
      harness.close().then(() => true),
    )
    return [
      ...(closed ? [] : ['The gateway does not close: `close` of the backend must resolve.']),
      ...(harness.gateway.inFlight() === 0 ? [] : ['A search is still open after its response.']),
    ]
  },
}
