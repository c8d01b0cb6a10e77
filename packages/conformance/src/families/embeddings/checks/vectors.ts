import type { CallerResponse } from '../../../caller.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../../checks/envelope.ts'
import type { Received } from '../../../upstream.ts'
import { type EmbeddingsCaller, embeddingsCallers } from '../callers.ts'
import type { EmbeddingsTarget } from '../target.ts'
import { tokensOf, vectorOf } from '../vectors.ts'
import { embeddingsVendor } from '../vendor.ts'

/** Inputs beyond ASCII, of different lengths, with two equal ones. */
export const TEXTS: readonly string[] = [
  'Ein Text.',
  '狐 und 🦊',
  'a longer text of seven words at most',
  'Ein Text.',
  'x',
]

/** Transport, checked before everything that uses it. */
export const embeddingsReachCheck: Check<EmbeddingsTarget> = {
  name: 'reaches its upstream with an embeddings request',
  isGate: true,
  async run({ harness, embeddings }) {
    const vendor = embeddingsVendor(embeddings)
    const [caller] = embeddingsCallers
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(caller.ask(embeddings.model, ['a text'], {}))
    const [request] = harness.upstream.received
    const answered = said(got, caller)
    if (!request)
      return [
        `No embeddings request reached the upstream: ${answered} Fix \`embeddings.request\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) => `The vendor would reject this with a 400: ${reason}. Fix \`embeddings.request\` first. (${answered})`,
    )
  },
}

/** Every input gets its vector, and the token count arrives. */
export function vectorsCheck(caller: EmbeddingsCaller): Check<EmbeddingsTarget> {
  return {
    name: `returns one vector per input, in order, to callers of ${caller.name}`,
    async run(target) {
      const { harness, embeddings } = target
      const findings: string[] = []
      for (const texts of caller.most === 1 ? TEXTS.map((one) => [one]) : [TEXTS, TEXTS.slice(0, 1)]) {
        const vendor = embeddingsVendor(embeddings)
        harness.upstream.answer(vendor.answer)
        const before = harness.rows.length
        const got = await harness.ask(caller.ask(embeddings.model, texts, {}))
        const rows = harness.rows.slice(before)
        const tokens = texts.reduce((total, one): number => total + tokensOf(one), 0)
        findings.push(
          ...harness.upstream.received.flatMap((request) => requestProblems(request, target)),
          ...vendor.refusals.map(
            (reason) => `The vendor would reject this with a 400: ${reason}. Fix \`embeddings.request\`.`,
          ),
          ...answerProblems(got, caller, texts, tokens),
          ...(rows.length === 1 && rows[0]?.usage?.input === tokens
            ? []
            : [
                `The usage row has ${JSON.stringify(rows[0]?.usage)}, but the upstream counted ${tokens} tokens: fix \`embeddings.response\`.`,
              ]),
        )
      }
      return distinct(findings)
    },
  }
}

/** Problems of an embeddings request, except its body. */
export function requestProblems(
  request: Received,
  { upstream, embeddings: { path, model } }: EmbeddingsTarget,
): string[] {
  const paths = typeof path === 'string' ? [path] : path
  return [...lineProblems(request, paths, model, '`embeddings.request`'), ...envelopeProblems(request, upstream)]
}

/** Problems of a caller's response for these inputs. */
export function answerProblems(
  got: CallerResponse,
  caller: EmbeddingsCaller,
  texts: readonly string[],
  tokens: number,
  dimensions?: number,
): string[] {
  const where = `Callers of ${caller.name} get wrong vectors`
  if (got.status !== 200) return [`${where}: ${said(got, caller)}`]
  const { vectors, tokens: counted, problems } = caller.read(got.body)
  const due = texts.map((one) => JSON.stringify(vectorOf(one, dimensions)))
  const wrong = due.findIndex((vector, index) => JSON.stringify(vectors[index]) !== vector)
  return [
    ...problems,
    ...(vectors.length === texts.length ? [] : [`${vectors.length} vectors were returned for ${texts.length} inputs`]),
    ...(wrong === -1 ? [] : [`the vector of input ${wrong} is wrong`]),
    ...(counted === tokens ? [] : [`the response has ${counted} tokens, but the upstream counted ${tokens}`]),
  ].map((problem) => `${where}: ${problem}. Fix \`embeddings.response\`.`)
}

export function said(got: CallerResponse, caller: EmbeddingsCaller): string {
  return `status ${got.status}, ${caller.readError(got.body) ?? got.text.slice(0, 200)}`
}
