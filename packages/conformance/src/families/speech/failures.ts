import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct, within } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { question, said } from './sound.ts'
import type { SpeechTarget } from './target.ts'
import { speechVendor } from './vendor.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

export const speechErrorsCheck: Check<SpeechTarget> = {
  name: "distinguishes the upstream's failures of speech requests",
  async run(target) {
    const { error } = speechVendor(target.speech)
    const findings: string[] = []
    const disguised: Failure[] = [
      { name: 'an error in JSON with status 200', kind: 'upstream', reply: text(JSON.stringify(error(200, 'No.'))) },
      { name: 'a page that claims to be sound', kind: 'upstream', reply: text('<!doctype html><title>Hi</title>') },
      { name: 'a response without sound', kind: 'upstream', reply: text('') },
    ]
    for (const failure of [...failuresByStatus(error), ...transportFailures, ...disguised])
      findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

/** Text that claims to be sound. */
function text(body: string): UpstreamReply {
  return { kind: 'whole', headers: { 'content-type': 'audio/mpeg' }, body }
}

async function fail({ harness, speech }: SpeechTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({ ...question(speech), headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said(got)} ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
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

/** Places where a message of the upstream could expose the key. */
export const speechSecrecyCheck = (secrets: readonly string[]): Check<SpeechTarget> => ({
  name: 'keeps its key out of errors and warnings about speech',
  async run({ harness, speech }) {
    const { error } = speechVendor(speech)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      harness.upstream.answer({ kind: 'whole', status, headers, body: error(status, echo) })
      await harness.ask(question(speech))
    }
    const told = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})
