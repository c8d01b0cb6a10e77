import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import type { Reply } from '../../upstream.ts'
import { question, said } from './ranking.ts'
import type { RerankSubject } from './subject.ts'
import { rerankVendor } from './vendor.ts'

/** Shorter than any wait that a failure asks for, longer than any that it does not. */
const PATIENCE_MS = 15_000

export const rerankErrorsCheck: Check<RerankSubject> = {
  name: 'tells failures of the upstream apart when documents are to be put in order',
  async run(subject) {
    const { error } = rerankVendor(subject.rerank)
    const findings: string[] = []
    for (const failure of [...failuresByStatus(error), ...transportFailures])
      findings.push(...(await fail(subject, failure)))
    return distinct(findings)
  },
}

async function fail({ bench, rerank }: RerankSubject, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  bench.upstream.answer(failure.reply)
  const before = bench.rows.length
  const got = await bench.ask({ ...question(rerank.model), headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
  const row = bench.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const mend = bench.mendReader()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said(got)} ${mend}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row says ${row?.failure ?? 'nothing'}. ${mend}`]),
  ]
}

/** Answers that would put scores to the wrong documents. */
export const brokenRankingCheck: Check<RerankSubject> = {
  name: 'takes no order of documents that were not asked about',
  async run({ bench, rerank }) {
    const { write } = rerankVendor(rerank)
    const findings: string[] = []
    for (const [what, indices] of BROKEN) {
      const results = indices.map((index) => ({ index, score: 0.5 }))
      bench.upstream.answer((request) => ({ kind: 'whole', body: write({ results, tokens: 1, searches: 1 }, request) }))
      const got = await bench.ask(question(rerank.model))
      if (got.status !== 500) findings.push(`To an answer with ${what} callers get ${said(got)} Due is 500.`)
    }
    bench.upstream.answer({ kind: 'whole', body: {} })
    const got = await bench.ask(question(rerank.model))
    if (got.status !== 500)
      findings.push(
        `To an answer with nothing in it callers get ${said(got)} Due is 500: \`rerank.response\` must throw.`,
      )
    return findings
  },
}

const BROKEN: readonly (readonly [what: string, indices: readonly number[]])[] = [
  ['a document that there is not', [0, 1, 2, 99]],
  ['one document twice', [0, 1, 1, 2]],
  ['a document too few', [0, 1]],
]

/** Where the key may turn up: in what the upstream says of it. */
export const rerankSecrecyCheck = (secrets: readonly string[]): Check<RerankSubject> => ({
  name: 'keeps its key out of what is said of documents in order',
  async run({ bench, rerank }) {
    const { error } = rerankVendor(rerank)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const reply: Reply = { kind: 'whole', status, headers, body: error(status, echo) }
      bench.upstream.answer(reply)
      await bench.ask(question(rerank.model))
    }
    const told = bench.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0
      ? []
      : [`The provider's key was told to the outside ${told.length} times: take it out in \`readError\`.`]
  },
})
