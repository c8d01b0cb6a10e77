import type { Price } from '../../canonical/target.ts'
import { HeadgateError } from '../../errors.ts'
import { type Bound, mostOf } from '../../pipeline/bound.ts'
import type { Core } from '../../pipeline/core.ts'
import type { Asked } from '../../pipeline/family.ts'
import { strictOf } from '../../pipeline/losses.ts'
import { refusalError } from '../../pipeline/spending/refusal.ts'
import { type Expense, expenseOf, type Spending } from '../../pipeline/spending/spending.ts'
import type { Ask } from './ask.ts'
import { answersOf, boundOfChat, isLimited, losesLimit, withOutput } from './bound.ts'
import { type Plan, planFor } from './plan.ts'
import { routingField } from './routing-fields.ts'

/** How often a limit is looked for: what is left changes while others spend. The last is the least that is of use. */
const ROUNDS = 3

/** What a caller can do about a request of which nobody knows what it can cost. */
function boundedSo({ format: { id, outputLimit } }: Ask): string {
  if (id === 'responses') return `Send ${outputLimit.name}, limit the tools of the provider (max_tool_calls), or name another model.`
  return `Send max_tokens and a whole number of answers, limit the tools of the provider (max_uses), or name another model.`
}

/** What a plan asks for, as far as it bounds its cost. */
function askedOf({ body, format }: Ask, { candidate, losses, searching, given }: Plan): Asked {
  const { model, facts, instance } = candidate
  return {
    body,
    format: format.id,
    provider: instance.provider,
    model,
    facts,
    losses,
    searchedFor: searching !== undefined || given.request !== undefined,
  }
}

/** The most that a plan can use. */
export function boundOf(ask: Ask, plan: Plan): Bound | undefined {
  const asked = askedOf(ask, plan)
  const bound = boundOfChat(asked)
  const { output } = plan.given
  return bound && output !== undefined ? withOutput(bound, output * answersOf(asked)) : bound
}

/** The most tokens, from `least` up to `most`, that cost no more than the room; undefined where `least` cost more. `costOf` never falls. */
export function outputFor(room: bigint, least: number, most: number, costOf: (tokens: number) => number | null): number | undefined {
  const fits = (tokens: number): boolean => {
    const cost = costOf(tokens)
    return cost !== null && BigInt(cost) <= room
  }
  if (most < least || !fits(least)) return undefined
  let low = least
  let high = most
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Reserves what a plan may cost. Resolves with the plan as it may be sent: that one, or one whose answer is as long as the money lasts. */
export type Afford = (plan: Plan) => Promise<Plan>

/** Rejects with HeadgateError where the money does not suffice. */
export function createAfford(core: Core, ask: Ask, spending: Spending): Afford {
  return async (plan) => {
    const { candidate } = plan
    const price = core.priceOf(candidate, ask.context.startedAt)
    const bound = boundOfChat(askedOf(ask, plan))
    const whole = expenseFor(ask, plan, price, bound)
    const refusal = await spending.ask(whole)
    if (!refusal) return plan
    const fitting = refusal.why === 'limit' && bound && price ? fittingOf(core, ask, plan, bound, price) : undefined
    if (!fitting) throw refusalError(refusal, whole)
    const { least, most, costOf } = fitting
    let { room } = refusal
    for (let round = 1; ; round++) {
      const output = (round < ROUNDS && outputFor(room, least, most, costOf)) || least
      const fitted = planFor(ask, candidate, { ...plan.given, output })
      if (losesLimit(askedOf(ask, fitted))) throw refusalError(refusal, whole)
      const expense: Expense = { ...whole, bound: costOf(output) }
      const again = await spending.ask(expense)
      if (!again) return fitted
      if (output === least || again.why !== 'limit') throw refusalError(again, expense)
      room = again.room
    }
  }
}

function expenseFor(ask: Ask, { candidate, support }: Plan, price: Price | undefined, bound: Bound | undefined): Expense {
  const { instance, model } = candidate
  const subject = { provider: instance.name, model }
  const field = 'run' in support ? undefined : routingField(support, ask.body.json)
  if (field === undefined) return expenseOf(subject, price, bound, boundedSo(ask))
  return expenseOf(subject, price, undefined, `The field ${field} can lead to another model: leave it out.`)
}

interface Fitting {
  /** Tokens of one answer: what is of use, and what the model may write. */
  readonly least: number
  readonly most: number
  costOf(tokens: number): number | null
}

/** How a request may be shortened; undefined where it says itself how long its answer may be, or forbids that it is changed. */
function fittingOf(core: Core, ask: Ask, plan: Plan, bound: Bound, price: Price): Fitting | undefined {
  const asked = askedOf(ask, plan)
  const most = plan.candidate.facts?.output
  if (most === undefined || isLimited(asked) || strictOf(ask.context)) return undefined
  const answers = answersOf(asked)
  const least = Math.min(most, core.spending.leastOutput + thoughtsOf(ask))
  return { least, most, costOf: (tokens) => mostOf(withOutput(bound, tokens * answers), price) }
}

/** Tokens that the caller has the model think with: the answer comes on top. */
function thoughtsOf(ask: Ask): number {
  try {
    return Math.max(0, ask.canonical().reasoning?.budget ?? 0)
  } catch (error) {
    if (HeadgateError.is(error)) return 0
    throw error
  }
}

/** Reserves a further call of a model for an answer, whose prompt is so many bytes longer. Rejects with HeadgateError where the money does not suffice. */
export function reserveFurther(core: Core, ask: Ask, plan: Plan, spending: Spending, bytes: number): Promise<void> {
  const bound = boundOf(ask, plan)
  const longer = (tokens: number | undefined): number => (tokens ?? 0) + bytes
  const wider = bound && {
    ...bound,
    input: longer(bound.input),
    cacheWrite: longer(bound.cacheWrite),
    ...(bound.cacheWriteLong !== undefined && { cacheWriteLong: longer(bound.cacheWriteLong) }),
  }
  return spending.reserve(expenseFor(ask, plan, core.priceOf(plan.candidate, ask.context.startedAt), wider))
}
