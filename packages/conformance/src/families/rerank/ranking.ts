import { isDeepStrictEqual } from 'node:util'
import type { Got } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../checks/envelope.ts'
import { object, objects } from '../../json.ts'
import type { RerankSubject } from './subject.ts'
import { countOf, rerankVendor, scoreOf } from './vendor.ts'

const QUERY = 'Welcher Text ist kurz? 短い'
/** Beyond ASCII, of several lengths, and not in their order. */
const DOCUMENTS: readonly string[] = ['a longer text of seven words at most', 'Ein Text.', '狐 und 🦊 im Wald', 'x']
/** Documents where no limit is known. */
const MANY = 1_500

/** A request of callers. */
export function question(model: string, documents = DOCUMENTS, more: object = {}) {
  return { path: '/v1/rerank', body: { model, query: QUERY, documents, ...more } }
}

/** The transport, before anything that goes over it. */
export const rerankReachCheck: Check<RerankSubject> = {
  name: 'reaches its upstream with documents that are to be put in order',
  isGate: true,
  async run({ bench, rerank }) {
    const vendor = rerankVendor(rerank)
    bench.upstream.answer(vendor.answer)
    const got = await bench.ask(question(rerank.model))
    if (bench.upstream.received.length === 0)
      return [
        `No documents got to the upstream: ${said(got)} Mend \`rerank.request\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) => `The vendor would answer with a 400: ${reason}. Mend \`rerank.request\` first. (${said(got)})`,
    )
  },
}

export const rankingCheck: Check<RerankSubject> = {
  name: 'puts documents in order, with their scores, and accounts for what was counted',
  async run(subject) {
    const { bench, rerank, upstream } = subject
    const vendor = rerankVendor(rerank)
    bench.upstream.answer(vendor.answer)
    const got = await bench.ask(question(rerank.model))
    const paths = typeof rerank.path === 'string' ? [rerank.path] : rerank.path
    const [asked] = vendor.asked
    const usage = bench.rows.at(-1)?.usage
    const { counts = 'tokens' } = rerank
    const due = { ...countOf({ query: QUERY, documents: DOCUMENTS }), nothing: undefined }[counts]
    const counted = counts === 'searches' ? usage?.units?.['searches'] : usage?.input
    return distinct([
      ...bench.upstream.received.flatMap((request) => [
        ...lineProblems(request, paths, rerank.model, '`rerank.request`'),
        ...envelopeProblems(request, upstream),
      ]),
      ...(asked?.query === QUERY && isDeepStrictEqual(asked.documents, DOCUMENTS)
        ? []
        : ['The vendor understood another query, or other documents: mend `rerank.request`.']),
      ...orderProblems(got, DOCUMENTS.length),
      ...(counted === due
        ? []
        : [
            `It was accounted with ${JSON.stringify(usage)}, the upstream counted ${due ?? 'nothing'}: mend \`rerank.response\`.`,
          ]),
    ])
  },
}

export const topCheck: Check<RerankSubject> = {
  name: 'asks for as many of the best as are wanted, and gives no more',
  async run({ bench, rerank }) {
    const vendor = rerankVendor(rerank)
    bench.upstream.answer(vendor.answer)
    const got = await bench.ask(question(rerank.model, DOCUMENTS, { top_n: 2 }))
    const [asked] = vendor.asked
    return [
      ...(asked?.top === 2 || got.headers['headgate-lost']?.includes('top_n')
        ? []
        : [
            "`top_n` did not go up, and headgate-lost does not name it: mend `rerank.request`, or declare it by `call.lose('top_n', …)`.",
          ]),
      ...orderProblems(got, 2),
    ]
  },
}

/** As many documents as one request takes, and more. */
export const mostCheck: Check<RerankSubject> = {
  name: 'takes as many documents as one request does, and refuses more before anything is sent',
  async run({ bench, rerank }) {
    const { most } = rerank
    bench.upstream.answer(rerankVendor(rerank).answer)
    const ask = async (count: number, due: 200 | 400): Promise<string[]> => {
      const before = bench.upstream.received.length
      const documents = Array.from({ length: count }, (_, index) => 'x'.repeat(1 + (index % 40)))
      const got = await bench.ask(question(rerank.model, documents, { top_n: 1 }))
      const isSent = bench.upstream.received.length > before
      if (got.status === due && isSent === (due === 200)) return []
      return [
        `For ${count} documents callers get ${said(got)} Due is ${due}: \`most\` must be the most documents of one request.`,
      ]
    }
    return most === undefined ? ask(MANY, 200) : [...(await ask(most, 200)), ...(await ask(most + 1, 400))]
  },
}

function orderProblems(got: Got, count: number): string[] {
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
    : [`Callers get ${JSON.stringify(found)}, due is ${JSON.stringify(due)}: mend \`rerank.response\`.`]
}

export function said(got: Got): string {
  return `status ${got.status}, ${got.text.slice(0, 200)}.`
}
