import type { Usage } from '../../canonical/usage.ts'
import { now } from '../../clock.ts'
import { type Body, requireText } from '../../edge/body.ts'
import { lostHeader } from '../../edge/lost.ts'
import { headerOf } from '../../edge/sink.ts'
import { asError } from '../../errors.ts'
import { charge } from '../../pipeline/charge.ts'
import { answerHead, type Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { askWithinDeadline } from '../../pipeline/deadline.ts'
import { answerDryRun, type Prospect } from '../../pipeline/dry-run.ts'
import { checkStrict } from '../../pipeline/losses.ts'
import { type PlansGiven, plansInTurn } from '../../pipeline/plans.ts'
import { takePlace, tokensOf } from '../../pipeline/rates.ts'
import { checkModel, route } from '../../pipeline/route.ts'
import { settleRow } from '../../pipeline/row.ts'
import { expenseOf, spendingOf } from '../../pipeline/spending/spending.ts'
import type { Outcome } from '../../routing/attempts.ts'
import { type Candidate, pinned } from '../../routing/candidates.ts'
import type { Subject } from '../../routing/health.ts'
import type { Asked, Wire } from './asked.ts'
import { boundOfEmbeddings } from './bound.ts'
import { askCandidate, type Reserve, type Spend } from './call.ts'
import { type Ask, type Plan, planFor } from './plan.ts'
import { sameModel } from './same-model.ts'

function subjectOf({ instance, model }: Candidate): Subject {
  return { provider: instance.name, model }
}

function createAsk(wire: Wire, body: Body, model: string): Ask {
  let read: Asked | undefined
  return {
    wire,
    body,
    model,
    asked() {
      read ??= wire.read(body.json)
      return read
    },
  }
}

function plansFor(core: Core, context: Context, ask: Ask, candidates: readonly Candidate[]): PlansGiven<Candidate, Plan> {
  const isPinned = pinned(core.instances, headerOf(context.incoming, 'vendor')) !== undefined
  const moment = now()
  return {
    candidates,
    isWell: (candidate) => core.health.isWell(subjectOf(candidate), moment),
    planOf(candidate) {
      const plan = planFor(ask, candidate)
      checkStrict(context, plan.losses, `Provider ${candidate.instance.name}`)
      return plan
    },
    ...(!isPinned && { lacks: ({ losses }: Plan) => Number(losses.length > 0) }),
  }
}

const WAYS = { native: 'bytes', exchange: 'translated', local: 'in-process' } as const

/** What would go to a candidate, and cost at most. */
function prospectOf(core: Core, { startedAt }: Context, { body }: Ask, { candidate, losses, way }: Plan): Prospect {
  return { way: WAYS[way], losses, price: core.priceOf(candidate, startedAt), bound: boundOfEmbeddings({ body, facts: candidate.facts }) }
}

/** Serves one request for vectors: finds candidates, asks them, answers, accounts. Throws HeadgateError for what the caller must be told. */
export async function serveEmbeddings(core: Core, context: Context, body: Body, wire: Wire, named: string | undefined): Promise<void> {
  const model = named ?? requireText(body.json, 'model')
  checkModel(context, model)
  const taking = takePlace(core, context, { model, estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }) })
  if (taking) await taking
  const ask = createAsk(wire, body, model)
  const candidates = sameModel(await route(core, context, { model, family: 'embeddings' }))
  const plans = plansFor(core, context, ask, candidates)
  const spending = spendingOf(core, context, { family: 'embeddings', format: wire.id, model })
  if (context.isDryRun)
    return answerDryRun(core, context, {
      ...{ family: 'embeddings', model, plans, subjectOf, spending },
      prospectOf: (plan) => prospectOf(core, context, ask, plan),
    })
  /** What was used, whoever was asked. */
  let used: Usage | undefined
  const spend =
    ({ candidate }: Plan): Spend =>
    (row, usage) => {
      charge(row, usage, core.priceOf(candidate, context.startedAt))
      if (usage) used = { input: (used?.input ?? 0) + usage.input, output: 0 }
    }
  const reserve = ({ candidate }: Plan): Reserve | undefined =>
    spending && ((bound) => spending.reserve(expenseOf(subjectOf(candidate), core.priceOf(candidate, context.startedAt), bound)))
  const settle = (
    plan: Plan,
    end: {
      status: number
      why: string
      failure?: ReturnType<typeof asError>['kind']
      upstream?: string | undefined
      servedFrom?: number | undefined
    },
  ) => {
    const isServed = end.why === 'served'
    return settleRow(core, context, {
      family: 'embeddings',
      format: wire.id,
      model,
      provider: plan.candidate.instance.name,
      providerModel: end.upstream ?? plan.candidate.model,
      stream: false,
      translated: plan.way !== 'native',
      status: end.status,
      usage: used,
      estimated: undefined,
      servedFrom: end.servedFrom,
      billing: (charged) =>
        isServed && charged === null
          ? { billed: false, why: used ? 'price-unknown' : 'usage-unknown' }
          : { billed: isServed, why: end.why },
      finish: undefined,
      failure: end.failure,
      losses: plan.losses,
    })
  }

  const attempt = async (plan: Plan): Promise<Outcome> => {
    const abort = new AbortController()
    const servedFrom = context.attempts.length
    context.running = { stop: (error) => abort.abort(error) }
    try {
      const { bytes, given } = await askCandidate(core, context, ask, plan, abort, { spend: spend(plan), reserve: reserve(plan) })
      // What runs here says only now what it has lost.
      if (plan.way === 'local') checkStrict(context, plan.losses, `Provider ${plan.candidate.instance.name}`)
      await settle(plan, { status: 200, why: 'served', upstream: given.model, servedFrom })
      if (context.gone) return 'served'
      const lost = lostHeader(plan.losses)
      answerHead(context, 200, {
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        'headgate-vendor': plan.candidate.instance.name,
        ...(lost !== undefined && { 'headgate-lost': lost }),
      })
      context.sink.end(bytes)
      return 'served'
    } catch (error) {
      return asError(error)
    } finally {
      context.running = undefined
    }
  }

  let last: Plan | undefined
  const outcome = await askWithinDeadline(core, context, {
    candidates: plansInTurn(plans),
    subjectOf: ({ candidate }) => subjectOf(candidate),
    attempt(plan) {
      last = plan
      return attempt(plan)
    },
  })
  if (outcome === 'served') return
  const [status, why] = context.gone ? [499, 'cancelled'] : [outcome.status, 'failed']
  if (last && context.attempts.length > 0) await settle(last, { status, why, failure: outcome.kind })
  throw outcome
}
