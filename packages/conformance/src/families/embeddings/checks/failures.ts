import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct, within } from '../../../checks/check.ts'
import type { Failure } from '../../../failures/failure.ts'
import { failuresByStatus } from '../../../failures/status.ts'
import { transportFailures } from '../../../failures/transport.ts'
import { isStale } from '../../../stale.ts'
import type { Received, UpstreamReply } from '../../../upstream.ts'
import { type EmbeddingsCaller, embeddingsCallers } from '../callers.ts'
import type { EmbeddingsTarget } from '../target.ts'
import { vectorOf } from '../vectors.ts'
import { type EmbeddingsVendor, embeddingsVendor } from '../vendor.ts'
import { said } from './vectors.ts'

/** Calls to one candidate: the first and up to three retries. */
const CALLS_AGAIN = 4
/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

/** Failures of the upstream. */
export const embeddingsErrorsCheck: Check<EmbeddingsTarget> = {
  name: "distinguishes the upstream's failures of embeddings requests, and reports them in the caller's format",
  async run(target) {
    const findings: string[] = []
    const { error } = embeddingsVendor(target.embeddings)
    for (const [index, failure] of [...failuresByStatus(error), ...transportFailures].entries()) {
      for (const caller of callersOf(target, index)) findings.push(...(await fail(target, failure, caller)))
    }
    return distinct(findings)
  },
}

async function fail(
  { harness, embeddings }: EmbeddingsTarget,
  failure: Failure,
  caller: EmbeddingsCaller,
): Promise<string[]> {
  const { again, status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const question = caller.ask(embeddings.model, ['a text'], {})
  const got = await harness.ask({ ...question, headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
  const calls = harness.upstream.received.length
  const due =
    again && failure.retryAfter === undefined
      ? CALLS_AGAIN
      : isStale(harness.provider.credential, failure.reply)
        ? 2
        : 1
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status && caller.readError(got.body) !== undefined
      ? []
      : [
          `${what}, so callers of ${caller.name} get an error with status ${status}; they got ${said(got, caller)} ${advice}`,
        ]),
    ...(calls === due || (failure.mayReconnect && calls === due + 1)
      ? []
      : [`${what}, so the gateway must call it ${due} times; the gateway called it ${calls} times. ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
}

/** Callers of each format; with the short test scope, one of them in turn. */
function callersOf({ scope }: EmbeddingsTarget, index: number): readonly EmbeddingsCaller[] {
  return scope === 'short'
    ? embeddingsCallers.filter((_, nth) => nth === index % embeddingsCallers.length)
    : embeddingsCallers
}

/** Responses without a vector for each input: the gateway must not assign vectors to the wrong inputs. */
export const brokenAnswersCheck: Check<EmbeddingsTarget> = {
  name: 'rejects responses without exactly one vector per input',
  async run({ harness, embeddings }) {
    const vendor = embeddingsVendor(embeddings)
    const [caller] = embeddingsCallers
    const findings: string[] = []
    for (const [what, broken] of BROKEN) {
      harness.upstream.answer((request) => ({ kind: 'whole', body: broken(vendor, request) }))
      const got = await harness.ask(caller.ask(embeddings.model, ['a text', 'another'], {}))
      if (got.status === 500 && caller.readError(got.body)) continue
      findings.push(
        `For a response with ${what}, callers get status ${got.status}, expected 500: \`embeddings.response\` must throw.`,
      )
    }
    return findings
  },
}

const BROKEN: readonly (readonly [what: string, answer: (vendor: EmbeddingsVendor, request: Received) => object])[] = [
  ['one vector too few', (vendor, request) => vendor.write([vectorOf('a text')], request)],
  ['no vectors', (vendor, request) => vendor.write([], request)],
  ['no content', () => ({})],
]

/** Caller that disconnects. */
export const embeddingsAbortCheck: Check<EmbeddingsTarget> = {
  name: 'ends the upstream request for embeddings when the caller disconnects',
  async run({ harness, embeddings }) {
    const caller = new AbortController()
    harness.upstream.answer({ kind: 'silence' })
    const arrival = harness.upstream.arrival()
    const answer = harness.ask({ ...embeddingsCallers[0].ask(embeddings.model, ['a text'], {}), signal: caller.signal })
    const request = await within(PATIENCE_MS, arrival)
    caller.abort()
    await answer
    if (!request) return ['No request reached the upstream.']
    return (await within(PATIENCE_MS, request.closed)) === 'broken'
      ? []
      : ['A caller disconnected, but the upstream connection stayed open: the adapter must not keep it open.']
  },
}

/** Places where a message of the upstream could expose the key. */
export const embeddingsSecrecyCheck = (secrets: readonly string[]): Check<EmbeddingsTarget> => ({
  name: 'keeps its key out of errors and warnings about embeddings',
  async run(target) {
    const { harness, embeddings } = target
    const { error } = embeddingsVendor(embeddings)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const [index, status] of [400, 401, 403, 404, 429, 500].entries()) {
      const reply: UpstreamReply = { kind: 'whole', status, headers, body: error(status, echo) }
      for (const caller of callersOf(target, index)) {
        harness.upstream.answer(reply)
        await harness.ask(caller.ask(embeddings.model, ['a text'], {}))
      }
    }
    const told = harness.said.filter((said) => secrets.some((secret) => said.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})
