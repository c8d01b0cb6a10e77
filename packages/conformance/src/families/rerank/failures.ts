import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { question, said } from './ranking.ts'
import type { RerankTarget } from './target.ts'
import { rerankVendor } from './vendor.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

export const rerankErrorsCheck: Check<RerankTarget> = {
  name: "distinguishes the upstream's failures of rerank requests",
  async run(target) {
    const { error } = rerankVendor(target.rerank)
    const findings: string[] = []
    for (const failure of [...failuresByStatus(error), ...transportFailures])
      findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

async function fail({ harness, rerank }: RerankTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({ ...question(rerank.model), headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
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

/** Responses that would assign scores to the wrong documents. */
export const brokenRankingCheck: Check<RerankTarget> = {
  name: 'rejects responses that rank unknown documents',
  async run({ harness, rerank }) {
    const { write } = rerankVendor(rerank)
    const findings: string[] = []
    for (const [what, indices] of BROKEN) {
      const results = indices.map((index) => ({ index, score: 0.5 }))
      harness.upstream.answer((request) => ({
        kind: 'whole',
        body: write({ results, tokens: 1, searches: 1 }, request),
      }))
      const got = await harness.ask(question(rerank.model))
      if (got.status !== 500) findings.push(`For a response with ${what}, callers get ${said(got)} Expected: 500.`)
    }
    harness.upstream.answer({ kind: 'whole', body: {} })
    const got = await harness.ask(question(rerank.model))
    if (got.status !== 500)
      findings.push(`For an empty response, callers get ${said(got)} Expected: 500;  \`rerank.response\` must throw.`)
    return findings
  },
}

const BROKEN: readonly (readonly [what: string, indices: readonly number[]])[] = [
  ['an unknown document', [0, 1, 2, 99]],
  ['a duplicate document', [0, 1, 1, 2]],
  ['one document too few', [0, 1]],
]

/** Places where a message of the upstream could expose the key. */
export const rerankSecrecyCheck = (secrets: readonly string[]): Check<RerankTarget> => ({
  name: 'keeps its key out of errors and warnings about reranking',
  async run({ harness, rerank }) {
    const { error } = rerankVendor(rerank)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const reply: UpstreamReply = { kind: 'whole', status, headers, body: error(status, echo) }
      harness.upstream.answer(reply)
      await harness.ask(question(rerank.model))
    }
    const told = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})
