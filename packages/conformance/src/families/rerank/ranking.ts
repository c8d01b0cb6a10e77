import { isDeepStrictEqual } from 'node:util'
import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../checks/envelope.ts'
import { object, objects } from '../../json.ts'
import type { RerankTarget } from './target.ts'
import { countOf, rerankVendor, scoreOf } from './vendor.ts'

const QUERY = 'Welcher Text ist kurz? 短い'
/** Documents beyond ASCII, of different lengths, not in the order of their scores. */
const DOCUMENTS: readonly string[] = ['a longer text of seven words at most', 'Ein Text.', '狐 und 🦊 im Wald', 'x']
/** Number of documents if no limit is known. */
const MANY = 1_500

/** Rerank request of a caller. */
export function question(model: string, documents = DOCUMENTS, more: object = {}) {
  return { path: '/v1/rerank', body: { model, query: QUERY, documents, ...more } }
}

/** Transport, checked before everything that uses it. */
export const rerankReachCheck: Check<RerankTarget> = {
  name: 'reaches its upstream with a rerank request',
  isGate: true,
  async run({ harness, rerank }) {
    const vendor = rerankVendor(rerank)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(rerank.model))
    if (harness.upstream.received.length === 0)
      return [
        `No rerank request reached the upstream: ${said(got)} Fix \`rerank.request\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) => `The vendor would reject this with a 400: ${reason}. Fix \`rerank.request\` first. (${said(got)})`,
    )
  },
}

export const rankingCheck: Check<RerankTarget> = {
  name: "ranks documents with their scores, and records the upstream's usage",
  async run(target) {
    const { harness, rerank, upstream } = target
    const vendor = rerankVendor(rerank)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(rerank.model))
    const paths = typeof rerank.path === 'string' ? [rerank.path] : rerank.path
    const [asked] = vendor.asked
    const usage = harness.rows.at(-1)?.usage
    const { counts = 'tokens' } = rerank
    const due = { ...countOf({ query: QUERY, documents: DOCUMENTS }), nothing: undefined }[counts]
    const counted = counts === 'searches' ? usage?.units?.['searches'] : usage?.input
    return distinct([
      ...harness.upstream.received.flatMap((request) => [
        ...lineProblems(request, paths, rerank.model, '`rerank.request`'),
        ...envelopeProblems(request, upstream),
      ]),
      ...(asked?.query === QUERY && isDeepStrictEqual(asked.documents, DOCUMENTS)
        ? []
        : ['The vendor read a different query or different documents: fix `rerank.request`.']),
      ...orderProblems(got, DOCUMENTS.length),
      ...(counted === due
        ? []
        : [
            `The usage row has ${JSON.stringify(usage)}, but the upstream counted ${due ?? 'nothing'}: fix \`rerank.response\`.`,
          ]),
    ])
  },
}

export const topCheck: Check<RerankTarget> = {
  name: "requests the caller's `top_n` results, and returns at most this number",
  async run({ harness, rerank }) {
    const vendor = rerankVendor(rerank)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(rerank.model, DOCUMENTS, { top_n: 2 }))
    const [asked] = vendor.asked
    return [
      ...(asked?.top === 2 || got.headers['headgate-lost']?.includes('top_n')
        ? []
        : [
            "`top_n` was not sent, and headgate-lost does not name it: fix `rerank.request`, or declare it with `call.lose('top_n', …)`.",
          ]),
      ...orderProblems(got, 2),
    ]
  },
}

/** The maximum number of documents, and more. */
export const mostCheck: Check<RerankTarget> = {
  name: 'accepts the maximum number of documents, and rejects more before anything is sent',
  async run({ harness, rerank }) {
    const { most } = rerank
    harness.upstream.answer(rerankVendor(rerank).answer)
    const ask = async (count: number, due: 200 | 400): Promise<string[]> => {
      const before = harness.upstream.received.length
      const documents = Array.from({ length: count }, (_, index) => 'x'.repeat(1 + (index % 40)))
      const got = await harness.ask(question(rerank.model, documents, { top_n: 1 }))
      const isSent = harness.upstream.received.length > before
      if (got.status === due && isSent === (due === 200)) return []
      return [
        `For ${count} documents, callers get ${said(got)} Expected: ${due}; \`most\` must be the maximum number of documents in one request.`,
      ]
    }
    return most === undefined ? ask(MANY, 200) : [...(await ask(most, 200)), ...(await ask(most + 1, 400))]
  },
}

function orderProblems(got: CallerResponse, count: number): string[] {
  if (got.status !== 200) return [`Callers get ${said(got)}`]
  const found = objects(object(got.body)['results']).map(({ index, relevance_score }) => ({
    index,
    score: relevance_score,
  }))
  const due = DOCUMENTS.map((document, index) => ({ index, score: scoreOf(document) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
  return isDeepStrictEqual(found, due)
    ? []
    : [`Callers get ${JSON.stringify(found)}, expected ${JSON.stringify(due)}: fix \`rerank.response\`.`]
}

export function said(got: CallerResponse): string {
  return `status ${got.status}, ${got.text.slice(0, 200)}.`
}
