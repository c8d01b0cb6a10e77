import type { Loss, ResponseSummary, TextSample } from '@headgate/core/canonical'
import { isOvercounted, uncountable } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import { charge } from '../../cost/charge.ts'
import { type Billing, type RowFacts, settleRow } from '../../cost/row.ts'
import type { Core } from '../../serve/core.ts'
import type { ChatCall } from './chat-call.ts'
import { estimateUsage } from './cost/estimate.ts'
import { noteOutput } from './cost/reserve.ts'
import type { ChatPlan } from './plan.ts'

/** End of a request at one provider. */
export interface ChatResult {
  /** HTTP status for the caller. */
  readonly status: number
  readonly why: 'served' | 'failed' | 'canceled' | 'cut'
  readonly summary: ResponseSummary
  readonly failure?: ErrorKind
  /** Losses of the response. */
  readonly losses?: readonly Loss[]
  /** Text sample of a response that broke off before its usage arrived. Its usage is then estimated. */
  readonly textSample?: (() => TextSample) | undefined
  /**
   * Index of the first of several attempts that produced the response and are already charged. Default: the last
   * attempt.
   */
  readonly servedFrom?: number
  /** True if some of the usage is estimated. */
  readonly estimated?: boolean
}

/**
 * Billing of a request. Only served responses and responses that broke off are billed, and only if price and usage are
 * known.
 */
function billing(result: ChatResult, charged: number | null): Billing {
  if (result.why === 'failed') return { billed: false, why: 'failed' }
  if (charged !== null) return { billed: true, why: result.why }
  if (result.why !== 'served') return { billed: false, why: result.why }
  const { usage } = result.summary
  const isCounted = usage !== undefined && uncountable(usage).length === 0
  return { billed: false, why: isCounted ? 'price-unknown' : 'usage-unknown' }
}

/** Loss for counts that contradict each other. Each separately priced count is charged as reported. */
const OVERCOUNTED: Loss = { path: 'usage', kind: 'changed', reason: 'its parts exceed the total' }

function lossesOf(plan: ChatPlan, { losses = [], summary }: ChatResult): readonly Loss[] {
  const ofAnswer = summary.usage && isOvercounted(summary.usage) ? [...losses, OVERCOUNTED] : losses
  if (ofAnswer.length === 0) return plan.losses
  return [...plan.losses, ...ofAnswer.map((loss) => ({ ...loss, path: `response.${loss.path}` }))]
}

/**
 * Records the usage of a request that reached a provider. Later calls have no effect.
 * @returns work that the end of the response must wait for; undefined = none
 */
export function settle(core: Core, chat: ChatCall, plan: ChatPlan, result: ChatResult): Promise<void> | undefined {
  if (chat.context.row) return undefined
  if (!result.textSample) return settleCounted(core, chat, plan, result, false)
  return estimateUsage(core, chat, result.summary, result.textSample()).then((usage) =>
    chat.context.row
      ? undefined
      : settleCounted(core, chat, plan, { ...result, summary: { ...result.summary, usage } }, true),
  )
}

function settleCounted(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  result: ChatResult,
  estimated: boolean,
): Promise<void> | undefined {
  const { summary } = result
  const { attempts, startedAt } = chat.context
  const price = core.priceOf(plan.candidate, startedAt)
  if (summary.usage && !estimated && !result.estimated && result.servedFrom === undefined)
    noteOutput(core, chat, plan, summary.usage.output)
  if (isServed(result) && result.servedFrom === undefined) charge(attempts.at(-1), summary.usage, price, estimated)
  return settleRow(core, chat.context, factsOf(chat, plan, result, estimated))
}

/** True if the response is charged here. An attempt that broke off without usage was charged before. */
function isServed({ why, summary }: ChatResult): boolean {
  return why === 'served' || summary.usage !== undefined
}

/** Usage row of a request whose attempts are already charged. */
export function factsOf(chat: ChatCall, plan: ChatPlan, result: ChatResult, estimated = false): RowFacts {
  const { summary } = result
  return {
    family: 'chat',
    format: chat.format.id,
    model: chat.model,
    provider: plan.candidate.instance.name,
    providerModel: summary.model ?? plan.candidate.model,
    stream: chat.stream,
    translated: !plan.remote?.native,
    status: result.status,
    usage: summary.usage,
    estimated: estimated || result.estimated || undefined,
    servedFrom: isServed(result) ? (result.servedFrom ?? chat.context.attempts.length - 1) : undefined,
    billing: (charged) => billing(result, charged),
    finish: summary.finish?.reason,
    failure: result.failure,
    losses: lossesOf(plan, result),
  }
}
