import type { Price, Usage } from '@headgate/core/canonical'
import { uncountable } from '@headgate/core/canonical'
import type { ErrorKind } from '@headgate/core/errors'
import { charge } from '../../cost/charge.ts'
import type { Billing, RowFacts } from '../../cost/row.ts'
import { settleRow } from '../../cost/row.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import type { SpeechCall, SpeechPlan } from './plan.ts'

/** End of a request whose response has begun. */
export interface SpeechResult {
  /** HTTP status for the caller. */
  readonly status: number
  readonly why: 'served' | 'canceled' | 'cut'
  readonly failure?: ErrorKind | undefined
  /** Usage that the provider reported; undefined = none. */
  readonly usage: Usage | undefined
}

/** Usage of a response, and whether it is an estimate. */
interface CountedUsage {
  readonly usage: Usage
  readonly isEstimated: boolean
}

/**
 * Usage that the provider reported. Characters are counted here if the provider reports nothing, or if it is billed by
 * them and does not report them. Providers bill the whole text, also of a response that broke off.
 */
function countedUsage(
  reported: Usage | undefined,
  characters: number,
  price: Pick<Price, 'units'> | undefined,
): CountedUsage {
  const isBilled = price?.units !== undefined && Object.hasOwn(price.units, 'characters')
  const isReported = reported !== undefined && (!isBilled || reported.units?.['characters'] !== undefined)
  if (isReported) return { usage: reported, isEstimated: false }
  const { input = 0, output = 0, ...rest } = reported ?? {}
  return { usage: { ...rest, input, output, units: { ...reported?.units, characters } }, isEstimated: true }
}

function billingOf({ why }: SpeechResult, usage: Usage, charged: number | null): Billing {
  if (charged !== null) return { billed: true, why }
  if (why !== 'served') return { billed: false, why }
  return { billed: false, why: uncountable(usage).length === 0 ? 'price-unknown' : 'usage-unknown' }
}

/**
 * Records the usage of a response.
 * @returns work that the end of the response must wait for; undefined = none
 */
export function settleSpeech(
  core: Core,
  context: Context,
  { model }: SpeechCall,
  plan: SpeechPlan,
  result: SpeechResult,
): Promise<void> | undefined {
  if (context.row) return undefined
  const { candidate, characters } = plan
  const price = core.priceOf(candidate, context.startedAt)
  const { usage, isEstimated } = countedUsage(result.usage, characters, price)
  charge(context.attempts.at(-1), usage, price, isEstimated)
  const facts: RowFacts = {
    ...factsOf(plan),
    model,
    status: result.status,
    usage,
    estimated: isEstimated || undefined,
    servedFrom: context.attempts.length - 1,
    billing: (charged) => billingOf(result, usage, charged),
    failure: result.failure,
  }
  return settleRow(core, context, facts)
}

/** Facts for the row of any request. */
export function factsOf(plan: SpeechPlan) {
  const { candidate, isBypass, isSse, losses, responseLosses } = plan
  return {
    family: 'speech',
    format: 'speech',
    provider: candidate.instance.name,
    providerModel: candidate.model,
    stream: isSse,
    translated: !isBypass,
    finish: undefined,
    losses: [...losses, ...responseLosses.map((loss) => ({ ...loss, path: `response.${loss.path}` }))],
  }
}
