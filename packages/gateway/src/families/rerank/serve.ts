import type { Loss } from '@headgate/core/canonical'
import type { HttpRequest, HttpResponse, RerankRequest, RerankResponse, RerankSupport } from '@headgate/core/contract'
import { type Call, isNext } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { tokensOf } from '../../cost/bound.ts'
import { type Body, requireText } from '../../edge/body.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { unlessAborted } from '../../serve/abort.ts'
import { type Accounts, askerOf } from '../../serve/asker.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { losing } from '../../serve/losses.ts'
import { route } from '../../serve/route.ts'
import { wireOf } from '../../serve/trace.ts'
import { serveWhole, type WholeAnswer, type WholePlan } from '../../serve/whole.ts'
import { boundOfRerank } from './bound.ts'
import { type Asked, checkedRanks, readRerank, writeRerank } from './wire.ts'

/** How a candidate is asked. */
type Plan = WholePlan & { readonly input: RerankRequest } & (
    | {
        readonly way: 'exchange'
        readonly support: Extract<RerankSupport, { request: unknown }>
        readonly request: HttpRequest
      }
    | { readonly way: 'local'; readonly support: Extract<RerankSupport, { run: unknown }>; readonly call: Call }
  )

/** @throws HeadgateError when a candidate can not carry the request. */
function planFor({ query, documents, top, maxTokensPerDocument, losses: before }: Asked, candidate: Candidate): Plan {
  const { instance, model, facts } = candidate
  const support = instance.provider.rerank
  if (!support) throw invalid('model', `Provider ${instance.name} ranks nothing.`)
  const { most = Number.POSITIVE_INFINITY } = support
  if (documents.length > most)
    throw invalid(
      'documents',
      `Provider ${instance.name} ranks at most ${most} documents at once, and these are ${documents.length}.`,
    )
  const losses: Loss[] = [...before]
  const bounds = {
    ...(top !== undefined && { top }),
    ...(maxTokensPerDocument !== undefined && { maxTokensPerDocument }),
  }
  const input = { model, query, documents, ...bounds }
  const call: Call = { model, stream: false, headers: {}, facts, lose: losing(losses) }
  if ('run' in support) return { candidate, losses, way: 'local', support, input, call }
  return { candidate, losses, way: 'exchange', support, input, request: support.request(input, call) }
}

/** Asks a candidate. Rejects with HeadgateError. */
async function askCandidate(
  core: Core,
  context: Context,
  { asked, body, plan }: { readonly asked: Asked; readonly body: Body; readonly plan: Plan },
  signal: AbortSignal,
  accounts: Accounts,
): Promise<WholeAnswer> {
  const { candidate, input } = plan
  const { provider, name } = candidate.instance
  const sound = (answer: RerankResponse) => ({
    results: checkedRanks(answer, asked),
    usage: answer.usage,
    model: answer.model ?? candidate.model,
  })
  const ask = askerOf(core, context, candidate, signal, accounts)
  const given = await ask(
    () => boundOfRerank({ body, provider }),
    async (options) => {
      if (plan.way === 'local') return sound(await unlessAborted(plan.support.run(input, signal, plan.call), signal))
      const read = (answer: HttpResponse, earlier: readonly HttpResponse[]) => {
        const out = plan.support.response(answer, input, earlier)
        return isNext(out) ? out : sound(out)
      }
      return finishExchange(wireOf(core, context, name, provider), provider, plan.request, read, options)
    },
    plan.way === 'local',
  )
  const answer = writeRerank({ ...given, id: context.id }, asked)
  return { bytes: Buffer.from(JSON.stringify(answer)), given }
}

/** Serves one request that puts documents in order. Rejects with HeadgateError for the caller. */
export async function serveRerank(core: Core, context: Context, body: Body): Promise<void> {
  const model = requireText(body.json, 'model')
  let read: Asked | undefined
  const asked = (): Asked => {
    read ??= readRerank(body.json)
    return read
  }
  return serveWhole<Plan>(core, context, {
    family: 'rerank',
    format: 'rerank',
    model,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
    async candidates() {
      asked()
      return route(core, context, { model, family: 'rerank' })
    },
    plan: (candidate) => planFor(asked(), candidate),
    bound: ({ candidate }) => boundOfRerank({ body, provider: candidate.instance.provider }),
    call: (plan, signal, accounts) => askCandidate(core, context, { asked: asked(), body, plan }, signal, accounts),
  })
}
