import { type Check, within } from '../../checks/check.ts'
import { type FailingFamily, PATIENCE_MS } from '../../failures/family-checks.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { question } from './sound.ts'
import type { SpeechTarget } from './target.ts'
import { speechVendor } from './vendor.ts'

export const FAILING_SPEECH: FailingFamily<SpeechTarget> = {
  requests: 'speech requests',
  topic: 'speech',
  question: ({ speech }) => question(speech),
  error: ({ speech }) => speechVendor(speech).error,
  others: (error) => [
    { name: 'an error in JSON with status 200', kind: 'upstream', reply: text(JSON.stringify(error(200, 'No.'))) },
    { name: 'a page that claims to be sound', kind: 'upstream', reply: text('<!doctype html><title>Hi</title>') },
    { name: 'a response without sound', kind: 'upstream', reply: text('') },
  ],
}

/** Text that claims to be sound. */
function text(body: string): UpstreamReply {
  return { kind: 'whole', headers: { 'content-type': 'audio/mpeg' }, body }
}

/** A sound that ends early must not look complete. */
export const cutCheck: Check<SpeechTarget> = {
  name: 'breaks off with its upstream, and lets it go when the caller leaves',
  async run({ harness, speech }) {
    const vendor = speechVendor(speech, (pieces) => pieces.slice(0, 4))
    const cut = (reply: UpstreamReply, end: 'cut' | 'silence'): UpstreamReply => {
      if (reply.kind === 'stream') return { ...reply, pieces: reply.pieces.slice(0, 4), end }
      return reply.kind === 'whole' ? { ...reply, cut: true } : reply
    }
    harness.upstream.answer((request) => cut(vendor.answer(request), 'cut'))
    const got = await harness.ask(question(speech))
    const isWhole = got.status === 200 && !got.broken
    const findings = isWhole ? ['A sound that breaks off reaches callers as if it were complete.'] : []
    harness.upstream.answer((request) => cut(vendor.answer(request), 'silence'))
    const arrived = harness.upstream.arrival()
    const asking = harness.ask({ ...question(speech), leave: () => true })
    const { closed } = await arrived
    await within(PATIENCE_MS, asking)
    if ((await within(PATIENCE_MS, closed)) === undefined)
      findings.push('The upstream still speaks after the caller has left.')
    return findings
  },
}
