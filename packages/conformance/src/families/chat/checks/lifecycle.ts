import { openBench } from '../../../bench.ts'
import { type Check, type RemoteSubject, within } from '../../../checks/check.ts'
import { framesOf } from '../../../pieces.ts'
import type { Reply } from '../../../upstream.ts'
import { text } from '../scenarios/text.ts'
import { wires } from '../wire/index.ts'

/** Longer than anything takes on a machine that is busy. */
const PATIENCE_MS = 5_000

/** A caller that leaves. */
export const abortCheck: Check<RemoteSubject> = {
  name: 'ends the upstream request when the caller leaves',
  async run(subject) {
    const { format } = subject.upstream
    const frames = framesOf(text.answers[format].stream)
    const some = frames.slice(0, Math.ceil(frames.length / 2))
    return [
      ...(await leave(subject, 'before the answer begins', { kind: 'silence' }, true)),
      ...(await leave(subject, 'while a whole answer is awaited', { kind: 'silence' }, false)),
      ...(await leave(subject, 'in the middle of a stream', { kind: 'stream', pieces: some, end: 'silence' }, true)),
    ]
  },
}

async function leave({ bench, facts, upstream }: RemoteSubject, when: string, reply: Reply, stream: boolean): Promise<string[]> {
  const wire = wires[upstream.format]
  const caller = new AbortController()
  bench.upstream.answer(reply)
  const arrival = bench.upstream.arrival()
  const before = bench.rows.length
  const answer = bench.ask({
    path: wire.path(facts.model, stream),
    body: wire.body(text.requests[wire.id], facts.model, stream),
    signal: caller.signal,
    leave: () => true,
  })
  const request = await within(PATIENCE_MS, arrival)
  if (!request) return [`A caller that leaves ${when} was not served: no request got to the upstream.`]
  if (reply.kind === 'silence') caller.abort()
  await answer
  const closed = await within(PATIENCE_MS, request.closed)
  const status = bench.rows.slice(before).at(-1)?.status
  return [
    ...(closed === 'broken'
      ? []
      : [`A caller left ${when}, and the upstream's connection stayed open: nothing of the adapter may hold it.`]),
    ...(status === 499 ? [] : [`A caller left ${when}, and the usage row has status ${status}, due is 499.`]),
  ]
}

/** What a process needs to end. */
export const lifecycleCheck: Check<RemoteSubject> = {
  name: 'leaves nothing open when the gateway closes',
  async run({ adapter, facts, upstream }) {
    const wire = wires[upstream.format]
    const bench = await openBench(adapter, facts)
    bench.upstream.answer({ kind: 'whole', body: text.answers[upstream.format].body })
    await bench.ask({ path: wire.path(facts.model, false), body: wire.body(text.requests[wire.id], facts.model, false) })
    const [request] = bench.upstream.received
    const closed = await within(
      PATIENCE_MS,
      bench.close().then(() => true),
    )
    return [
      ...(closed ? [] : ['The gateway does not close: `close` of the provider must resolve.']),
      ...(request && bench.inFlight() === 0 ? [] : ['A request is still open after its answer.']),
    ]
  },
}
