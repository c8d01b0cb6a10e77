import { type Check, within } from '../../../checks/check.ts'
import type { Reply } from '../../../upstream.ts'
import { text } from '../scenarios/text.ts'
import type { ChatSubject } from '../subject.ts'

/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE_MS = 15_000

/** Caller that disconnects. */
export const abortCheck: Check<ChatSubject> = {
  name: 'ends the upstream request when the caller disconnects',
  async run(subject) {
    const { upstream, vendor } = subject
    const frames = upstream.job ? [] : vendor.frames(text)
    const some = frames.slice(0, Math.ceil(frames.length / 2))
    return [
      ...(await leave(subject, 'before the response begins', { kind: 'silence' }, true)),
      ...(await leave(subject, 'while waiting for a whole response', { kind: 'silence' }, false)),
      ...(upstream.job ? [] : await leave(subject, 'in the middle of a stream', vendor.stream(some, 'silence'), true)),
    ]
  },
}

async function leave(
  { bench, model, vendor }: ChatSubject,
  when: string,
  reply: Reply,
  stream: boolean,
): Promise<string[]> {
  const wire = vendor.caller
  const caller = new AbortController()
  bench.upstream.answer(reply)
  const arrival = bench.upstream.arrival()
  const before = bench.rows.length
  const answer = bench.ask({
    path: wire.path(model, stream),
    body: wire.body(text.requests[wire.id], model, stream),
    signal: caller.signal,
    leave: () => true,
  })
  const request = await within(PATIENCE_MS, arrival)
  if (!request) return [`A caller that disconnects ${when} was not served: no request reached the upstream.`]
  if (reply.kind === 'silence') caller.abort()
  await answer
  const closed = await within(PATIENCE_MS, request.closed)
  const status = bench.rows.slice(before).at(-1)?.status
  return [
    ...(closed === 'broken'
      ? []
      : [`A caller disconnected ${when}, but the upstream connection stayed open: the adapter must not keep it open.`]),
    ...(status === 499 ? [] : [`A caller disconnected ${when}, and the usage row has status ${status}, expected 499.`]),
  ]
}

/** Conditions for a process to exit. */
export const lifecycleCheck: Check<ChatSubject> = {
  name: 'leaves no connection open when the gateway closes',
  async run({ open, model, vendor }) {
    const wire = vendor.caller
    const bench = await open()
    bench.upstream.answer(vendor.whole(text))
    await bench.ask({ path: wire.path(model, false), body: wire.body(text.requests[wire.id], model, false) })
    const [request] = bench.upstream.received
    const closed = await within(
      PATIENCE_MS,
      bench.close().then(() => true),
    )
    return [
      ...(closed ? [] : ['The gateway does not close: `close` of the provider must resolve.']),
      ...(request && bench.inFlight() === 0 ? [] : ['A request is still open after its response.']),
    ]
  },
}
