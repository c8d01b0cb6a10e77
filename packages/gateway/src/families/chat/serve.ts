import type { Format } from '@headgate/core/canonical'
import { asError, HeadgateError, invalid } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import type { Body } from '../../edge/body.ts'
import { requireText } from '../../edge/body.ts'
import { headerOf } from '../../edge/sink.ts'
import { attemptRemote } from '../../pipeline/attempt.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { askWithinDeadline } from '../../pipeline/deadline.ts'
import { answerDryRun, type Prospect } from '../../pipeline/dry-run.ts'
import { checkStrict } from '../../pipeline/losses.ts'
import { type PlansGiven, plansInTurn } from '../../pipeline/plans.ts'
import { takePlace } from '../../pipeline/rates.ts'
import { checkModel, route } from '../../pipeline/route.ts'
import { type Spending, spendingOf } from '../../pipeline/spending/spending.ts'
import { checkWaiting } from '../../pipeline/waiting.ts'
import { webSearchOf } from '../../pipeline/web-search.ts'
import type { Outcome } from '../../routing/attempts.ts'
import { type Candidate, pinned } from '../../routing/candidates.ts'
import type { Subject } from '../../routing/health.ts'
import { type Afford, boundOf, createAfford } from './afford.ts'
import { type Ask, createAsk } from './ask.ts'
import { serveInBackground } from './background.ts'
import { expectedOf } from './expected.ts'
import { askLocal } from './local.ts'
import { outgoingOf, type Plan, planFor } from './plan.ts'
import { askPolled } from './polled.ts'
import { createReady } from './ready.ts'
import { settle } from './settle.ts'
import { atHome, keptState, stateOf } from './state.ts'
import { streamConsumer } from './stream.ts'
import { unaryConsumer } from './unary.ts'
import { askSearching } from './web-search/answer.ts'
import { maySearch } from './web-search/offered.ts'

/** What path and query of a chat request say. */
export interface ChatLine {
  /** Format of the caller. */
  readonly format: Format
  /** Absent where the body names it. */
  readonly model: string | undefined
  /** Absent where the body says it. */
  readonly stream: boolean | undefined
  readonly query: string
}

/** A stream that the path asks for is an array of JSON, unless the query says otherwise. */
function framingOf({ stream, query }: ChatLine): 'sse' | 'json-array' {
  return stream === undefined || new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array'
}

function streamOf(body: Body): boolean {
  const stream = body.json['stream']
  if (stream === undefined || stream === null) return false
  if (typeof stream !== 'boolean')
    throw invalid('stream', `The field stream must be true or false; found a ${typeof stream}.`)
  return stream
}

/** What is known to be unwell is known by provider and model. */
export function subjectOf({ instance, model }: Candidate): Subject {
  return { provider: instance.name, model }
}

/**
 * The plans of the candidates that can carry the request: those that lose nothing first; of these, those that need
 * nothing to be fetched.
 */
function plansFor(core: Core, ask: Ask, candidates: readonly Candidate[]): PlansGiven<Candidate, Plan> {
  const moment = now()
  const isPinned = pinned(core.instances, headerOf(ask.context.incoming, 'vendor')) !== undefined
  return {
    candidates,
    isWell: (candidate) => core.health.isWell(subjectOf(candidate), moment),
    planOf(candidate) {
      checkWaiting(core, candidate)
      const plan = planFor(ask, candidate)
      checkStrict(ask.context, plan.losses, `Provider ${candidate.instance.name}`)
      return plan
    },
    ...(!isPinned && {
      lacks: ({ losses, pending }: Plan) => 2 * Number(losses.length > 0) + Number(pending !== undefined),
    }),
  }
}

/** What would go to a candidate, and cost at most. */
function prospectOf(core: Core, ask: Ask, plan: Plan): Prospect {
  const { candidate, losses, support, remote, pending = [] } = plan
  const { context } = ask
  return {
    way: 'run' in support ? 'in-process' : remote?.native ? 'bytes' : 'translated',
    losses,
    fetches: pending.map(({ path }) => path),
    price: core.priceOf(candidate, context.startedAt),
    bound: boundOf(core, ask, plan),
  }
}

/** The same where budgets bound it: what is reserved for it is given back. */
async function affordable(
  core: Core,
  ask: Ask,
  plan: Plan,
  { afford, spending }: { afford: Afford; spending: Spending },
): Promise<Prospect> {
  try {
    return { ...prospectOf(core, ask, await afford(plan)), budget: null }
  } catch (error) {
    if (!HeadgateError.is(error) || error.kind !== 'over-budget') throw error
    return { ...prospectOf(core, ask, plan), budget: error.message }
  } finally {
    spending.release()
  }
}

/** The gateway's own search, where there is one that the caller may use and the request may offer one. */
function ownSearchFor(core: Core, { principal }: Context, { json }: Body): Pick<Ask, 'ownSearch'> | undefined {
  const { webSearch: mode } = core
  const search = mode === 'off' ? undefined : webSearchOf(core)
  if (mode === 'off' || !search || !maySearch(json) || !search.isOpenTo(principal)) return undefined
  return { ownSearch: { search, mode } }
}

/**
 * Serves one request of the chat family: finds candidates, asks them, answers, accounts. Throws HeadgateError for what
 * the caller must be told.
 */
export async function serveChat(core: Core, context: Context, body: Body, line: ChatLine): Promise<void> {
  const model = line.model ?? requireText(body.json, 'model')
  const stream = line.stream ?? streamOf(body)
  checkModel(context, model)
  const taking = takePlace(core, context, {
    model,
    form: line.format.id === 'messages' ? 'messages' : 'chat-completions',
    estimate: () => expectedOf(body, line.format.id),
  })
  if (taking) await taking
  const found = stateOf(core, context, line.format, body)
  const stored = found instanceof Promise ? await found : found
  const state = keptState(stored)
  const ask = createAsk(
    {
      context,
      format: line.format,
      body: state?.body ?? body,
      model,
      stream,
      framing: framingOf(line),
      ...(state && { state }),
      ...ownSearchFor(core, context, body),
    },
    core.answers.keepMs,
  )
  const routed = await route(core, context, { model, family: 'chat' })
  const plans = plansFor(core, ask, stored ? atHome(routed, stored) : routed)
  if (context.stopped) throw context.stopped
  const spending = spendingOf(core, context, { family: 'chat', format: line.format.id, model })
  const afford = spending && createAfford(core, ask, spending)
  if (context.isDryRun) {
    const paying = spending && afford && { spending, afford }
    return answerDryRun(core, context, {
      family: 'chat',
      model,
      plans,
      subjectOf,
      prospectOf: (plan) => (paying ? affordable(core, ask, plan, paying) : prospectOf(core, ask, plan)),
    })
  }
  let last: Plan | undefined
  const send = (plan: Plan): Promise<Outcome> => {
    last = plan
    const { remote } = plan
    if (!remote) return askLocal(core, ask, plan, plan.support as Extract<Plan['support'], { run: unknown }>)
    if (plan.searching) return askSearching(core, ask, plan, remote, spending)
    if (remote.support.poll) return askPolled(core, ask, plan, remote)
    const consume = stream ? streamConsumer : unaryConsumer
    return attemptRemote(core, context, plan.candidate, outgoingOf(remote), (attempt) =>
      consume(core, ask, plan, remote, attempt),
    )
  }
  const ready = createReady(core, ask)
  const run = async (): Promise<void> => {
    const outcome = await askWithinDeadline(core, context, {
      candidates: plansInTurn(plans),
      subjectOf: (plan) => subjectOf(plan.candidate),
      attempt(plan) {
        if (afford) return (plan.pending ? ready(plan).then(afford) : afford(plan)).then(send, asError)
        return plan.pending ? ready(plan).then(send, asError) : send(plan)
      },
    })
    if (outcome === 'served') return
    const why = context.gone ? 'cancelled' : 'failed'
    const status = context.gone ? 499 : outcome.status
    // Where media could not be had, no provider was asked.
    if (last && context.attempts.length > 0)
      await settle(core, ask, last, { status, why, tally: {}, failure: outcome.kind })
    throw outcome
  }
  return state?.background && ask.format.background ? serveInBackground(core, ask, ask.format.background, run) : run()
}
