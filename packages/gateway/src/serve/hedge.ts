import { asError, HeadgateError } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { unsentAttempt } from '../cost/charge.ts'
import { offStop, onStop } from '../edge/stop.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { type HealthTarget, keyOf } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import type { Hedging, Planned } from './served.ts'
import type { Turns } from './turns.ts'

/** A request whose slow call may be sent to a second endpoint as well. */
export interface HedgedRequest<P> {
  /** Candidates of the request. Without a second one, or if one is in cooldown, it is not hedged. */
  readonly candidates: readonly Candidate[]
  /** Further plans in their order. */
  readonly turns: Turns<P>
  readonly candidateOf: (plan: P) => Candidate
  /** True if a second call of the plan has no effects besides its cost. */
  readonly mayHedge: (plan: P) => boolean
  readonly attempt: (plan: P) => Promise<AttemptOutcome>
}

/** Key of the latency samples of a candidate. */
function sampleKeyOf(candidate: Candidate, isStream: boolean): string {
  return `${keyOf(subjectOf(candidate))}\n${isStream ? 'stream' : 'whole'}`
}

/** Milliseconds to wait before a second call; undefined = no second call. */
function delayOf<P>(core: Core, context: Context, request: HedgedRequest<P>, plan: P): number | undefined {
  const { candidates, candidateOf, mayHedge } = request
  const moment = now()
  if (candidates.length < 2 || !mayHedge(plan)) return undefined
  if (candidates.some((one) => core.health.cooldownOf(subjectOf(one), moment))) return undefined
  return core.hedging.samples.p95(sampleKeyOf(candidateOf(plan), context.isStream))
}

/** Resolves after `ms`, or when the request is stopped. The second function ends the wait. */
function timer(context: Context, ms: number): [Promise<'late'>, () => void] {
  let end = (): void => {}
  const wait = new Promise<'late'>((resolve) => {
    end = () => {
      clearTimeout(timeout)
      offStop(context, end)
      resolve('late')
    }
    const timeout = setTimeout(end, ms)
    onStop(context, end)
  })
  return [wait, () => end()]
}

/** Records an outcome for the health of its target, unless the request was stopped. */
function noteOutcome(core: Core, context: Context, candidate: Candidate, outcome: AttemptOutcome): void {
  if (outcome === 'served') core.health.served(subjectOf(candidate), now())
  else if (!context.stopped) core.health.failed(subjectOf(candidate), outcome, now())
}

/** Attempts a plan, and records its outcome and its time until the first byte. */
async function attemptNoted<P>(
  core: Core,
  context: Context,
  { attempt, candidateOf }: HedgedRequest<P>,
  plan: P,
): Promise<AttemptOutcome> {
  const candidate = candidateOf(plan)
  const begun = now()
  const outcome = await attempt(plan)
  noteOutcome(core, context, candidate, outcome)
  const { firstByteAt } = context
  if (outcome === 'served' && firstByteAt !== undefined)
    core.hedging.samples.add(sampleKeyOf(candidate, context.isStream), firstByteAt - begun)
  return outcome
}

/** The next plan, if it may be a second call: another endpoint for the same model, without a rule for failures. */
function secondOf<P>({ turns, candidateOf }: HedgedRequest<P>, first: Candidate): P | undefined {
  const next = turns.peek()
  if (next === undefined) return undefined
  const { on, stage } = candidateOf(next)
  return on || stage !== first.stage ? undefined : turns.take()
}

/**
 * Calls a candidate, and after the usual time until its first byte a second one. The first to respond serves the
 * request; the other call is ended, and its cost stays reserved while it is unknown. At most 5 % of the calls of a
 * provider are second calls.
 */
export async function attemptHedged<P>(
  core: Core,
  context: Context,
  request: HedgedRequest<P>,
  plan: P,
): Promise<AttemptOutcome> {
  const candidate = request.candidateOf(plan)
  const { budget } = core.hedging
  budget.countCall(candidate.instance.name, now())
  const delay = delayOf(core, context, request, plan)
  const calling = attemptNoted(core, context, request, plan)
  if (delay === undefined) return calling
  const [late, endWait] = timer(context, delay)
  const first = await Promise.race([calling, late]).finally(endWait)
  if (first !== 'late') return first
  if (context.rivals?.isCommitted || context.stopped) return calling
  const second =
    request.turns.peek() && budget.mayRetry(candidate.instance.name, now()) ? secondOf(request, candidate) : undefined
  if (second === undefined) return calling
  const outcomes = await Promise.all([calling, attemptNoted(core, context, request, second).catch(asError)])
  return outcomes.includes('served') ? 'served' : outcomes[0]
}

/**
 * Function that attempts a plan, with a second call if the first is slow. Undefined if the request is not hedged: it is
 * off, there is only one endpoint, or a second call would have effects.
 */
export function hedge<P extends Planned<Candidate>>(
  core: Core,
  context: Context,
  { ranked, served, turns, attempt }: Hedging<Candidate, P>,
): ((plan: P) => Promise<AttemptOutcome>) | undefined {
  const { mayHedge, isStream = false } = served
  const isOn = context.hedge ?? core.routing.hedge ?? false
  if (!isOn || !mayHedge || ranked.candidates.length < 2) return undefined
  context.rivals = { all: [], rows: [], isCommitted: false }
  context.isStream = isStream
  const { candidates } = ranked
  const request = { candidates, turns, attempt, mayHedge, candidateOf: ({ candidate }: P) => candidate }
  return (plan) => attemptHedged(core, context, request, plan)
}

/**
 * Failure of a second call that is not needed any more: the first call has responded. Its reservation is released, or
 * becomes a call without cost.
 */
export function unneeded(
  { row, rivals, attempts }: Context,
  { provider, endpoint, model }: HealthTarget,
  release: (() => void) | undefined,
): HeadgateError {
  const error = new HeadgateError('canceled', 'Another endpoint responded first.')
  if (row) release?.()
  else {
    const unsent = unsentAttempt(provider, endpoint, model, error.kind)
    attempts.push(unsent)
    rivals?.rows.push(unsent)
  }
  return error
}
