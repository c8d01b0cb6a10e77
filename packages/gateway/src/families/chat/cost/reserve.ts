import type { Price } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { type CostInput, mostOf, type UsageBound } from '../../../cost/bound.ts'
import { refusalError } from '../../../cost/spending/refusal.ts'
import { type CallCost, callCostOf, type Spending } from '../../../cost/spending/spending.ts'
import { subjectOf } from '../../../routing/candidates.ts'
import type { Core } from '../../../serve/core.ts'
import { strictOf } from '../../../serve/losses.ts'
import type { ChatCall } from '../chat-call.ts'
import { withoutImageTools } from '../image-tool/offered-images.ts'
import { type ChatPlan, planFor } from '../plan.ts'
import { routingField } from '../routing-fields.ts'
import { ambiguousFieldIn, boundOfChat, choicesOf, isLimited, losesLimit, outputOf, withOutput } from './bound.ts'

/**
 * Maximum searches for an affordable limit, since the remaining budget changes while others spend. The last one tries
 * the smallest useful limit.
 */
const ROUNDS = 3

/**
 * Maximum output sent to a model whose limit is unknown, in tokens. Most contexts have space for it, and servers reject
 * more.
 */
const UNKNOWN_OUTPUT = 8_192

/** Advice for a request whose worst-case cost is unknown. */
function boundAdvice({ format: { outputLimit, hostedTools } }: ChatCall): string {
  return `Send ${outputLimit.advice}, limit the provider's tools (${hostedTools?.together ?? 'max_uses'}), choose another model, or have the operator declare the model's output limit (output).`
}

/** Inputs of a plan's worst-case cost. */
function costInputOf(
  { body, format }: ChatCall,
  { candidate, losses, searching, drawing, given }: ChatPlan,
): CostInput {
  const { model, facts, endpoint } = candidate
  return {
    body,
    format: format.id,
    provider: endpoint.provider,
    model,
    facts,
    losses,
    searchedFor: searching !== undefined || (given.request !== undefined && !drawing),
    drawnFor: drawing !== undefined,
  }
}

/** Worst-case usage of a plan. It is larger if the upstream exceeded limits before. */
export function boundOf(core: Core, chat: ChatCall, plan: ChatPlan): UsageBound | undefined {
  const asked = costInputOf(chat, plan)
  const bound = boundOfChat(asked)
  if (!bound) return undefined
  const { output } = plan.given
  const limited = output === undefined ? bound.output : output * choicesOf(asked)
  return withOutput(bound, widened(core, plan, limited))
}

function widened({ overruns }: Core, { candidate: { instance, model, facts } }: ChatPlan, output: number): number {
  if (overruns.known.size === 0) return output
  return overruns.widened({ provider: instance.name, model }, output, facts?.output ?? Number.POSITIVE_INFINITY)
}

/** Compares the output of a response with the limit of its request, and records an overrun. */
export function noteOutput(core: Core, chat: ChatCall, plan: ChatPlan, output: number): void {
  const { instance, model } = plan.candidate
  const asked = costInputOf(chat, plan)
  const limit = (plan.given.output ?? outputOf(asked)) * choicesOf(asked)
  const isFirst = core.overruns.record({ provider: instance.name, model }, limit, output)
  if (isFirst === undefined) return
  chat.context.overrun = output - limit
  if (isFirst)
    core.warn(
      `${instance.name}/${model} reported ${output} output tokens for a request limited to ${limit}. Budgets reserve more for this model from now on. Check its output limit, or report this to the provider.`,
    )
}

/**
 * Maximum tokens from `least` to `most` that cost at most `room`; undefined = `least` costs more. `costOf` must be
 * monotonic.
 */
export function outputFor(
  room: bigint,
  least: number,
  most: number,
  costOf: (tokens: number) => number | null,
): number | undefined {
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

/**
 * Reserves the worst-case cost of a plan. Resolves with that plan, or with one whose output is limited to what the
 * budget pays for.
 * @throws HeadgateError if the budget is insufficient.
 */
export async function reserveCost(core: Core, chat: ChatCall, spending: Spending, plan: ChatPlan): Promise<ChatPlan> {
  const { candidate } = plan
  const price = core.priceOf(candidate, chat.context.startedAt)
  const bound = boundOf(core, chat, plan)
  const whole = expenseFor(chat, plan, price, bound)
  const limited =
    whole.bound === null && bound && price ? limitedPlan(core, chat, plan, { bound, price, whole }) : undefined
  const first = limited ?? { plan, expense: whole }
  const refusal = await spending.ask(first.expense)
  if (!refusal) return first.plan
  const fitting = refusal.why === 'limit' && bound && price ? fittingOf(core, chat, plan, bound, price) : undefined
  if (!fitting) throw refusalError(refusal, first.expense)
  const { least, most, costOf } = fitting
  let { room } = refusal
  for (let round = 1; ; round++) {
    const output = (round < ROUNDS && outputFor(room, least, most, costOf)) || least
    const fitted = planFor(chat, candidate, { ...plan.given, output })
    if (losesLimit(costInputOf(chat, fitted))) throw refusalError(refusal, first.expense)
    const expense: CallCost = { ...whole, bound: costOf(output) }
    const again = await spending.ask(expense)
    if (!again) return fitted
    if (output === least || again.why !== 'limit') throw refusalError(again, expense)
    room = again.room
  }
}

interface PlanCost {
  readonly bound: UsageBound
  readonly price: Price
  readonly whole: CallCost
}

/**
 * The plan with an output limit, for a model whose limit is unknown. Undefined if no limit makes its cost known, or the
 * limit cannot be sent.
 */
function limitedPlan(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  { bound, price, whole }: PlanCost,
): { plan: ChatPlan; expense: CallCost } | undefined {
  if (core.spending.unknownPrice === 'allow' || routingFieldOf(chat, plan) !== undefined) return undefined
  const fitting = fittingOf(core, chat, plan, bound, price)
  const cost = fitting?.costOf(fitting.most) ?? null
  if (!fitting || cost === null) return undefined
  const limited = planFor(chat, plan.candidate, { ...plan.given, output: fitting.most })
  return losesLimit(costInputOf(chat, limited)) ? undefined : { plan: limited, expense: { ...whole, bound: cost } }
}

/** The field of a plan's body that can select another model. The model of the gateway's image tool does not. */
function routingFieldOf({ body }: ChatCall, { support, drawing }: ChatPlan): string | undefined {
  return 'run' in support ? undefined : routingField(support, drawing ? withoutImageTools(body.json) : body.json)
}

function expenseFor(chat: ChatCall, plan: ChatPlan, price: Price | undefined, bound: UsageBound | undefined): CallCost {
  const subject = subjectOf(plan.candidate)
  const field = routingFieldOf(chat, plan)
  const twin = bound || field !== undefined ? undefined : ambiguousFieldIn(costInputOf(chat, plan))
  if (twin !== undefined)
    return callCostOf(subject, price, undefined, `Some servers read the field ${twin} as another field. Remove it.`)
  if (field === undefined) return callCostOf(subject, price, bound, boundAdvice(chat))
  return callCostOf(subject, price, undefined, `The field ${field} can select another model. Remove it.`)
}

interface Fitting {
  /** Tokens of one response: the smallest useful number, and the model's maximum. */
  readonly least: number
  readonly most: number
  costOf(tokens: number): number | null
}

/** Limits to shorten a request; undefined if it limits its output itself or forbids changes. */
function fittingOf(core: Core, chat: ChatCall, plan: ChatPlan, bound: UsageBound, price: Price): Fitting | undefined {
  const asked = costInputOf(chat, plan)
  if (isLimited(asked) || strictOf(chat.context)) return undefined
  const useful = core.spending.leastOutput + reasoningBudgetOf(chat)
  const { output, context = Number.POSITIVE_INFINITY } = plan.candidate.facts ?? {}
  const least = Math.min(output ?? useful, useful)
  // Servers reject limits that do not fit into the context together with the prompt. A token has at least one byte.
  const rest = Math.max(least, context - chat.body.bytes.length)
  const most =
    output !== undefined && output < context ? output : Math.min(output ?? Math.max(UNKNOWN_OUTPUT, least), rest)
  const answers = choicesOf(asked)
  return { least, most, costOf: (tokens) => mostOf(withOutput(bound, widened(core, plan, tokens * answers)), price) }
}

/** Reasoning budget of the caller in tokens, which comes in addition to the response. */
function reasoningBudgetOf(chat: ChatCall): number {
  try {
    return Math.max(0, chat.canonical().reasoning?.budget ?? 0)
  } catch (error) {
    if (HeadgateError.is(error)) return 0
    throw error
  }
}

/**
 * Reserves a further call of a model for the same response, with a prompt that is `bytes` longer.
 * @throws HeadgateError if the budget is insufficient.
 */
export function reserveFurtherCall(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  spending: Spending,
  bytes: number,
): Promise<void> {
  const bound = boundOf(core, chat, plan)
  const longer = (tokens: number | undefined): number => (tokens ?? 0) + bytes
  const wider = bound && {
    ...bound,
    input: longer(bound.input),
    cacheWrite: longer(bound.cacheWrite),
    ...(bound.cacheWriteLong !== undefined && { cacheWriteLong: longer(bound.cacheWriteLong) }),
  }
  return spending.reserve(expenseFor(chat, plan, core.priceOf(plan.candidate, chat.context.startedAt), wider))
}
