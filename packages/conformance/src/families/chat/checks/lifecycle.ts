import { type Check, within } from '../../../checks/check.ts'
import type { UpstreamReply } from '../../../upstream.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE_MS = 15_000

/** Caller that disconnects. */
export const abortCheck: Check<ChatTarget> = {
  name: 'ends the upstream request when the caller disconnects',
  async run(target) {
    const { upstream, vendor } = target
    const frames = upstream.job ? [] : vendor.frames(text)
    const some = frames.slice(0, Math.ceil(frames.length / 2))
    return [
      ...(await leave(target, 'before the response begins', { kind: 'silence' }, true)),
      ...(await leave(target, 'while waiting for a whole response', { kind: 'silence' }, false)),
      ...(upstream.job ? [] : await leave(target, 'in the middle of a stream', vendor.stream(some, 'silence'), true)),
    ]
  },
}

async function leave(
  { harness, model, vendor }: ChatTarget,
  when: string,
  reply: UpstreamReply,
  stream: boolean,
): Promise<string[]> {
  const wire = vendor.caller
  const caller = new AbortController()
  harness.upstream.answer(reply)
  const arrival = harness.upstream.arrival()
  const before = harness.rows.length
  const answer = harness.ask({
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
  const status = harness.rows.slice(before).at(-1)?.status
  return [
    ...(closed === 'broken'
      ? []
      : [`A caller disconnected ${when}, but the upstream connection stayed open: the adapter must not keep it open.`]),
    ...(status === 499 ? [] : [`A caller disconnected ${when}, and the usage row has status ${status}, expected 499.`]),
  ]
}

/** Conditions for a process to exit. */
export const lifecycleCheck: Check<ChatTarget> = {
  name: 'leaves no connection open when the gateway closes',
  async run({ open, model, vendor }) {
    const wire = vendor.caller
    const harness = await open()
    harness.upstream.answer(vendor.whole(text))
    await harness.ask({ path: wire.path(model, false), body: wire.body(text.requests[wire.id], model, false) })
    const [request] = harness.upstream.received
    const closed = await within(
      PATIENCE_MS,
      harness.close().then(() => true),
    )
    return [
      ...(closed ? [] : ['The gateway does not close: `close` of the provider must resolve.']),
      ...(request && harness.inFlight() === 0 ? [] : ['A request is still open after its response.']),
    ]
  },
}
