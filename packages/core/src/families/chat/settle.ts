import type { Tally } from '../../canonical/format.ts'
import type { Heard } from '../../canonical/heard.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ErrorKind } from '../../errors.ts'
import type { Core } from '../../pipeline/core.ts'
import { costOf } from '../../pipeline/cost.ts'
import { type Billing, settleRow } from '../../pipeline/row.ts'
import type { Ask } from './ask.ts'
import { estimateUsage } from './estimate.ts'
import type { Plan } from './plan.ts'

/** How a request ended at one provider. */
export interface Result {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: 'served' | 'failed' | 'cancelled' | 'cut'
  readonly tally: Tally
  readonly failure?: ErrorKind
  /** Losses of the answer. */
  readonly losses?: readonly Loss[]
  /** What the answer had said, where it broke off before its upstream had counted it: its usage is then estimated. */
  readonly heard?: (() => Heard) | undefined
}

/** Only what was served, or broke off after it began, is billed, and only where price and usage are known. */
function billing(result: Result, cost: number | null, isPriced: boolean): Billing {
  if (result.why === 'failed') return { billed: false, why: 'failed' }
  if (cost !== null) return { billed: true, why: result.why }
  if (result.why !== 'served') return { billed: false, why: result.why }
  return { billed: false, why: result.tally.usage && !isPriced ? 'price-unknown' : 'usage-unknown' }
}

function lossesOf(plan: Plan, answer: readonly Loss[] | undefined): readonly Loss[] {
  if (!answer || answer.length === 0) return plan.losses
  return [...plan.losses, ...answer.map((loss) => ({ ...loss, path: `response.${loss.path}` }))]
}

/**
 * Accounts for a request that reached a provider: once, whatever happens afterwards.
 * @returns what the end of the answer has to wait for; undefined when nothing.
 */
export function settle(core: Core, ask: Ask, plan: Plan, result: Result): Promise<void> | undefined {
  if (ask.context.row) return undefined
  if (!result.heard) return settleCounted(core, ask, plan, result, false)
  return estimateUsage(core, ask, result.tally, result.heard()).then((usage) =>
    ask.context.row ? undefined : settleCounted(core, ask, plan, { ...result, tally: { ...result.tally, usage } }, true),
  )
}

function settleCounted(core: Core, ask: Ask, plan: Plan, result: Result, estimated: boolean): Promise<void> | undefined {
  const { tally } = result
  const price = core.priceOf(plan.candidate)
  return settleRow(core, ask.context, {
    family: 'chat',
    format: ask.format.id,
    model: ask.model,
    provider: plan.candidate.instance.name,
    providerModel: tally.model ?? plan.candidate.model,
    stream: ask.stream,
    translated: !plan.remote?.native,
    status: result.status,
    ...(tally.usage && { usage: tally.usage }),
    ...(estimated && { estimated }),
    cost: costOf(tally.usage, price),
    priceId: price?.id,
    billing: (cost) => billing(result, cost, price !== undefined),
    ...(tally.finish && { finish: tally.finish.reason }),
    ...(result.failure && { failure: result.failure }),
    losses: lossesOf(plan, result.losses),
  })
}
