import type { Loss } from '@headgate/core/canonical'
import type { Call, RerankRequest, RerankResponse } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { tokensOf } from '../../cost/bound.ts'
import { type ParsedBody, requireString } from '../../edge/body.ts'
import type { Candidate } from '../../routing/candidates.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { lossCollector } from '../../serve/losses.ts'
import { route } from '../../serve/route.ts'
import { serveUnary, type UnaryPlan, type UnaryResponse } from '../../serve/unary.ts'
import { type CandidateCall, callSupport, type SupportCall } from '../../serve/upstream-caller.ts'
import { boundOfRerank } from './bound.ts'
import { checkedRanks, type RerankInput, readRerank, writeRerank } from './wire.ts'

/** Plan of a candidate. */
type RerankPlan = UnaryPlan & SupportCall<RerankRequest, RerankResponse>

/** @throws HeadgateError if the candidate cannot serve the request. */
function planFor(
  { query, documents, top, maxTokensPerDocument, losses: before }: RerankInput,
  candidate: Candidate,
): RerankPlan {
  const { instance, endpoint, model, facts } = candidate
  const support = endpoint.provider.rerank
  if (!support) throw invalid('model', `Provider ${instance.name} does not rerank.`)
  const { most = Number.POSITIVE_INFINITY } = support
  if (documents.length > most)
    throw invalid(
      'documents',
      `Provider ${instance.name} accepts at most ${most} documents per request, and this request has ${documents.length}. Send fewer.`,
    )
  const losses: Loss[] = [...before]
  const bounds = {
    ...(top !== undefined && { top }),
    ...(maxTokensPerDocument !== undefined && { maxTokensPerDocument }),
  }
  const input = { model, query, documents, ...bounds }
  const call: Call = { model, stream: false, headers: {}, facts, lose: lossCollector(losses) }
  if ('run' in support) return { candidate, losses, way: 'local', support, input, call }
  return { candidate, losses, way: 'exchange', support, input, call, request: support.request(input, call) }
}

/** Calls a candidate. @throws HeadgateError */
async function callCandidate(
  plan: RerankPlan,
  asking: CandidateCall,
  asked: RerankInput,
  body: ParsedBody,
): Promise<UnaryResponse> {
  const { candidate } = plan
  const { provider } = candidate.endpoint
  const given = await callSupport(
    asking,
    () => boundOfRerank({ body, provider }),
    plan,
    (answer) => ({
      results: checkedRanks(answer, asked),
      usage: answer.usage,
      model: answer.model ?? candidate.model,
    }),
  )
  const answer = writeRerank({ ...given, id: asking.context.id }, asked)
  return { bytes: Buffer.from(JSON.stringify(answer)), given }
}

/** Serves one rerank request. @throws HeadgateError for the caller. */
export async function serveRerank(core: Core, context: Context, body: ParsedBody): Promise<void> {
  const model = requireString(body.json, 'model')
  let read: RerankInput | undefined
  const asked = (): RerankInput => {
    read ??= readRerank(body.json)
    return read
  }
  return serveUnary<RerankPlan>(core, context, {
    family: 'rerank',
    format: 'rerank',
    model,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
    async candidates() {
      asked()
      return route(core, context, { model, family: 'rerank' })
    },
    plan: (candidate) => planFor(asked(), candidate),
    bound: ({ candidate }) => boundOfRerank({ body, provider: candidate.endpoint.provider }),
    call: (plan, asking) => callCandidate(plan, asking, asked(), body),
  })
}
