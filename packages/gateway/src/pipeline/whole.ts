import type { Loss, Usage } from '@headgate/core/canonical'
import { asError, type ErrorKind } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { lostHeader } from '../edge/lost.ts'
import { headerOf } from '../edge/sink.ts'
import type { Outcome } from '../routing/attempts.ts'
import { type Candidate, pinned } from '../routing/candidates.ts'
import type { Subject } from '../routing/health.ts'
import type { Accounts, Given } from './asker.ts'
import type { Bound } from './bound.ts'
import { charge } from './charge.ts'
import { answerHead, type Context, signalOf } from './context.ts'
import type { Core } from './core.ts'
import { askWithinDeadline } from './deadline.ts'
import { answerDryRun, type Prospect } from './dry-run.ts'
import { checkStrict } from './losses.ts'
import { type PlansGiven, plansInTurn } from './plans.ts'
import { settleRow } from './row.ts'
import { expenseOf, spendingOf } from './spending/spending.ts'
import { checkWaiting } from './waiting.ts'

/** How a candidate is asked, as far as every family has it. */
export interface WholePlan {
  readonly candidate: Candidate
  /** What runs here adds to them while it runs. */
  readonly losses: readonly Loss[]
  /** As the caller wrote it, by an exchange, or in this process. */
  readonly way: 'native' | 'exchange' | 'local'
}

/** An answer as the caller gets it. */
export interface WholeAnswer {
  readonly bytes: Uint8Array
  readonly given: Given
}

/** A request that is answered whole, by one provider. */
export interface WholeRequest<P extends WholePlan> {
  readonly family: string
  readonly format: string
  /** As the caller named it. */
  readonly model: string
  /** In the order of preference. */
  readonly candidates: readonly Candidate[]
  /** @throws HeadgateError for what keeps a candidate from carrying the request. */
  planOf(candidate: Candidate): P
  /** The most that one candidate can use. */
  boundOf(candidate: Candidate): Bound | undefined
  /** Asks a candidate. Rejects with HeadgateError. */
  ask(plan: P, signal: AbortSignal, accounts: Accounts): Promise<WholeAnswer>
}

/** How a request ended. */
interface End {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: string
  readonly failure?: ErrorKind
  /** The model as the upstream named it. */
  readonly upstream?: string | undefined
  readonly servedFrom?: number
}

const WAYS = { native: 'bytes', exchange: 'translated', local: 'in-process' } as const

function subjectOf({ instance, model }: Candidate): Subject {
  return { provider: instance.name, model }
}

function plansFor<P extends WholePlan>(
  core: Core,
  context: Context,
  request: WholeRequest<P>,
): PlansGiven<Candidate, P> {
  const isPinned = pinned(core.instances, headerOf(context.incoming, 'vendor')) !== undefined
  const moment = now()
  return {
    candidates: request.candidates,
    isWell: (candidate) => core.health.isWell(subjectOf(candidate), moment),
    planOf(candidate) {
      checkWaiting(core, candidate)
      const plan = request.planOf(candidate)
      checkStrict(context, plan.losses, `Provider ${candidate.instance.name}`)
      return plan
    },
    ...(!isPinned && { lacks: ({ losses }: P) => Number(losses.length > 0) }),
  }
}

/** What was used, whoever was asked. */
function plus(sum: Usage | undefined, usage: Usage): Usage {
  if (!sum) return usage
  const units = { ...sum.units }
  for (const [unit, count] of Object.entries(usage.units ?? {})) units[unit] = (units[unit] ?? 0) + count
  return { input: sum.input + usage.input, output: 0, ...(Object.keys(units).length > 0 && { units }) }
}

/**
 * Serves one request whose answer is read whole: asks candidates in turn, answers, accounts. Throws HeadgateError for
 * what the caller must be told.
 */
export async function serveWhole<P extends WholePlan>(
  core: Core,
  context: Context,
  request: WholeRequest<P>,
): Promise<void> {
  const { family, format, model } = request
  const plans = plansFor(core, context, request)
  const spending = spendingOf(core, context, { family, format, model })
  const priceOf = (candidate: Candidate) => core.priceOf(candidate, context.startedAt)
  if (context.isDryRun)
    return answerDryRun(core, context, {
      family,
      model,
      plans,
      subjectOf,
      spending,
      prospectOf: ({ candidate, losses, way }): Prospect => ({
        way: WAYS[way],
        losses,
        price: priceOf(candidate),
        bound: request.boundOf(candidate),
      }),
    })
  let used: Usage | undefined
  const accountsOf = ({ candidate }: P): Accounts => ({
    spend(row, usage) {
      charge(row, usage, priceOf(candidate))
      if (usage) used = plus(used, usage)
    },
    reserve: spending && ((bound) => spending.reserve(expenseOf(subjectOf(candidate), priceOf(candidate), bound))),
  })
  const settle = ({ candidate, way, losses }: P, { status, why, failure, upstream, servedFrom }: End) =>
    settleRow(core, context, {
      family,
      format,
      model,
      status,
      servedFrom,
      failure,
      losses,
      provider: candidate.instance.name,
      providerModel: upstream ?? candidate.model,
      stream: false,
      translated: way !== 'native',
      usage: used,
      estimated: undefined,
      billing(charged) {
        const isServed = why === 'served'
        if (isServed && charged === null) return { billed: false, why: used ? 'price-unknown' : 'usage-unknown' }
        return { billed: isServed, why }
      },
      finish: undefined,
    })

  const attempt = async (plan: P): Promise<Outcome> => {
    const servedFrom = context.attempts.length
    const { name } = plan.candidate.instance
    try {
      const { bytes, given } = await request.ask(plan, signalOf(context), accountsOf(plan))
      // What runs here says only now what it has lost.
      if (plan.way === 'local') checkStrict(context, plan.losses, `Provider ${name}`)
      await settle(plan, { status: 200, why: 'served', upstream: given.model, servedFrom })
      if (context.gone) return 'served'
      const lost = lostHeader(plan.losses)
      answerHead(context, 200, {
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        'headgate-vendor': name,
        ...(lost !== undefined && { 'headgate-lost': lost }),
      })
      context.sink.end(bytes)
      return 'served'
    } catch (error) {
      return asError(error)
    }
  }

  let last: P | undefined
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
