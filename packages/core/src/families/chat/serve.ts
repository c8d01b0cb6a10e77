import type { Body } from '../../edge/body.ts'
import { requireText } from '../../edge/body.ts'
import { headerOf } from '../../edge/sink.ts'
import { asError, invalid } from '../../errors.ts'
import type { Outcome } from '../../routing/attempts.ts'
import { type Candidate, pinned } from '../../routing/candidates.ts'
import { type Ask, createAsk } from './ask.ts'
import { attemptRemote } from './attempt.ts'
import type { Core } from '../../pipeline/core.ts'
import { askWithinDeadline } from '../../pipeline/deadline.ts'
import { askLocal } from './local.ts'
import { type Plan, planFor } from './plan.ts'
import { plansOf } from '../../pipeline/plans.ts'
import { createReady } from './ready.ts'
import { checkModel, route } from '../../pipeline/route.ts'
import { settle } from './settle.ts'
import { streamConsumer } from './stream.ts'
import { checkStrict } from '../../pipeline/losses.ts'
import { unaryConsumer } from './unary.ts'
import type { Context } from '../../pipeline/context.ts'

/** What the request line of a chat request said. */
export interface ChatLine {
  readonly model?: string
  readonly stream?: boolean
  readonly framing?: 'sse' | 'json-array'
}

function streamOf(body: Body): boolean {
  const stream = body.json['stream']
  if (stream === undefined || stream === null) return false
  if (typeof stream !== 'boolean') throw invalid('stream', `The field stream must be true or false; found a ${typeof stream}.`)
  return stream
}

/** Those that lose nothing come first; of these, those that need nothing to be fetched. */
function byPreference(a: Plan, b: Plan): number {
  return Number(a.losses.length > 0) - Number(b.losses.length > 0) || Number(a.pending !== undefined) - Number(b.pending !== undefined)
}

/** The plans of all candidates that can carry the request, in the order of preference. */
function plansFor(core: Core, ask: Ask, found: readonly Candidate[]): [Plan, ...Plan[]] {
  const plans = plansOf(found, (candidate) => {
    const plan = planFor(ask, candidate)
    checkStrict(ask.context, plan.losses, `Provider ${candidate.instance.name}`)
    return plan
  })
  if (plans.length > 1 && !pinned(core.instances, headerOf(ask.context.incoming, 'vendor'))) plans.sort(byPreference)
  return plans
}

/** Serves one request of the chat family: finds candidates, asks them, answers, accounts. Throws HeadgateError for what the caller must be told. */
export async function serveChat(core: Core, context: Context, body: Body, line: ChatLine): Promise<void> {
  const model = line.model ?? requireText(body.json, 'model')
  const stream = line.stream ?? streamOf(body)
  checkModel(context, model)
  const ask = createAsk({ context, format: context.format, body, model, stream, framing: line.framing ?? 'sse' })
  const plans = plansFor(core, ask, await route(core, context, model))
  if (context.stopped) throw context.stopped
  let last = plans[0]
  const send = (plan: Plan): Promise<Outcome> => {
    last = plan
    const { remote } = plan
    if (!remote) return askLocal(core, ask, plan, plan.support as Extract<Plan['support'], { run: unknown }>)
    const consume = stream ? streamConsumer : unaryConsumer
    return attemptRemote(core, context, plan, remote, (attempt) => consume(core, ask, plan, remote, attempt))
  }
  const ready = createReady(core, ask)
  const outcome = await askWithinDeadline(core, context, {
    candidates: plans,
    nameOf: (plan) => plan.candidate.instance.name,
    attempt: (plan) => (plan.pending ? ready(plan).then(send, asError) : send(plan)),
  })
  if (outcome === 'served') return
  const why = context.gone ? 'cancelled' : 'failed'
  const status = context.gone ? 499 : outcome.status
  // Where media could not be had, no provider was asked.
  if (context.attempts.length > 0) await settle(core, ask, last, { status, why, tally: {}, failure: outcome.kind })
  throw outcome
}
