import type { Heard, Loss, Tally } from '@headgate/core/canonical'
import { isOvercounted, uncountable } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import { charge } from '../../cost/charge.ts'
import { type Billing, type RowFacts, settleRow } from '../../cost/row.ts'
import type { Core } from '../../serve/core.ts'
import type { Ask } from './ask.ts'
import { noteOutput } from './cost/afford.ts'
import { estimateUsage } from './cost/estimate.ts'
import type { Plan } from './plan.ts'

/** How a request ended at one provider. */
export interface Result {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: 'served' | 'failed' | 'canceled' | 'cut'
  readonly tally: Tally
  readonly failure?: ErrorKind
  /** Losses of the answer. */
  readonly losses?: readonly Loss[]
  /** What the answer had said, where it broke off before its upstream had counted it: its usage is then estimated. */
  readonly heard?: (() => Heard) | undefined
  /**
   * Index of the first of several attempts that made the answer: they have been charged already. Default: the last one
   * made it.
   */
  readonly servedFrom?: number
  /** Some of the usage is estimated. */
  readonly estimated?: boolean
}

/** Only what was served, or broke off after it began, is billed, and only where price and usage are known. */
function billing(result: Result, charged: number | null): Billing {
  if (result.why === 'failed') return { billed: false, why: 'failed' }
  if (charged !== null) return { billed: true, why: result.why }
  if (result.why !== 'served') return { billed: false, why: result.why }
  const { usage } = result.tally
  const isCounted = usage !== undefined && uncountable(usage).length === 0
  return { billed: false, why: isCounted ? 'price-unknown' : 'usage-unknown' }
}

/** An upstream whose counts contradict each other: what costs something of its own is charged as it says. */
const OVERCOUNTED: Loss = { path: 'usage', kind: 'changed', reason: 'its shares are more than the whole' }

function lossesOf(plan: Plan, { losses = [], tally }: Result): readonly Loss[] {
  const ofAnswer = tally.usage && isOvercounted(tally.usage) ? [...losses, OVERCOUNTED] : losses
  if (ofAnswer.length === 0) return plan.losses
  return [...plan.losses, ...ofAnswer.map((loss) => ({ ...loss, path: `response.${loss.path}` }))]
}

/**
 * Accounts for a request that reached a provider: once, whatever happens afterwards.
 * @returns what the end of the answer has to wait for; undefined when nothing.
 */
export function settle(core: Core, ask: Ask, plan: Plan, result: Result): Promise<void> | undefined {
  if (ask.context.row) return undefined
  if (!result.heard) return settleCounted(core, ask, plan, result, false)
  return estimateUsage(core, ask, result.tally, result.heard()).then((usage) =>
    ask.context.row
      ? undefined
      : settleCounted(core, ask, plan, { ...result, tally: { ...result.tally, usage } }, true),
  )
}

function settleCounted(
  core: Core,
  ask: Ask,
  plan: Plan,
  result: Result,
  estimated: boolean,
): Promise<void> | undefined {
  const { tally } = result
  const { attempts, startedAt } = ask.context
  const price = core.priceOf(plan.candidate, startedAt)
  if (tally.usage && !estimated && !result.estimated && result.servedFrom === undefined)
    noteOutput(core, ask, plan, tally.usage.output)
  if (isServed(result) && result.servedFrom === undefined) charge(attempts.at(-1), tally.usage, price, estimated)
  return settleRow(core, ask.context, factsOf(ask, plan, result, estimated))
}

/** Without usage an attempt that broke off has determined already whether it may cost something. */
function isServed({ why, tally }: Result): boolean {
  return why === 'served' || tally.usage !== undefined
}

/** Facts of the row of a request whose attempts are charged. */
export function factsOf(ask: Ask, plan: Plan, result: Result, estimated = false): RowFacts {
  const { tally } = result
  return {
    family: 'chat',
    format: ask.format.id,
    model: ask.model,
    provider: plan.candidate.instance.name,
    providerModel: tally.model ?? plan.candidate.model,
    stream: ask.stream,
    translated: !plan.remote?.native,
    status: result.status,
    usage: tally.usage,
    estimated: estimated || result.estimated || undefined,
    servedFrom: isServed(result) ? (result.servedFrom ?? ask.context.attempts.length - 1) : undefined,
    billing: (charged) => billing(result, charged),
    finish: tally.finish?.reason,
    failure: result.failure,
    losses: lossesOf(plan, result),
  }
}
