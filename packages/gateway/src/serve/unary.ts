import type { Usage } from '@headgate/core/canonical'
import { asError } from '@headgate/core/errors'
import { charge } from '../cost/charge.ts'
import type { RowFacts } from '../cost/row.ts'
import { callCostOf, type Spending } from '../cost/spending/spending.ts'
import { signalOf } from '../edge/stop.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { type Context, sendServed } from './context.ts'
import type { Core } from './core.ts'
import { checkPlan, PROVIDERS, serve, settlePlan } from './serve.ts'
import type { OpenedRequest, Planned, RequestEnd, ServedRequest } from './served.ts'
import type { CallAccounting, CallResult, CandidateCall } from './upstream-caller.ts'

/** Plan for a whole response: the caller's body unchanged, an exchange, or an in-process call. */
export interface UnaryPlan extends Planned<Candidate> {
  readonly way: 'native' | 'exchange' | 'local'
}

/** Response to the caller. */
export interface UnaryResponse {
  readonly bytes: Uint8Array
  /** Content type; default `application/json`. */
  readonly type?: string | undefined
  readonly given: CallResult
}

/** Request with a response that is read whole, from one provider. */
export interface UnaryRequest<P extends UnaryPlan>
  extends Pick<ServedRequest<Candidate, P>, 'family' | 'format' | 'model' | 'estimate'>,
    Pick<OpenedRequest<Candidate, P>, 'plan' | 'bound'> {
  /** Candidates in order of preference, at least one. Called once the request has its slot. */
  candidates(): Promise<readonly Candidate[]>
  /** Calls a candidate. Rejects with HeadgateError. */
  call(plan: P, asking: CandidateCall): Promise<UnaryResponse>
}

const WAYS = { native: 'bytes', exchange: 'translated', local: 'in-process' } as const

/** Usage of all calls, over all candidates. */
function plus(sum: Usage | undefined, usage: Usage): Usage {
  if (!sum) return usage
  const units = { ...sum.units }
  for (const [unit, count] of Object.entries(usage.units ?? {})) units[unit] = (units[unit] ?? 0) + count
  return { input: sum.input + usage.input, output: 0, ...(Object.keys(units).length > 0 && { units }) }
}

/** Serves a request whose response is read whole. Rejects with the HeadgateError that the caller gets. */
export function serveUnary<P extends UnaryPlan>(core: Core, context: Context, whole: UnaryRequest<P>): Promise<void> {
  let used: Usage | undefined
  const priceOf = (candidate: Candidate) => core.priceOf(candidate, context.startedAt)
  const accountsOf = ({ candidate }: P, spending: Spending | undefined): CallAccounting => ({
    spend(row, usage) {
      charge(row, usage, priceOf(candidate))
      if (usage) used = plus(used, usage)
    },
    reserve: spending && ((bound) => spending.reserve(callCostOf(subjectOf(candidate), priceOf(candidate), bound))),
  })
  const facts = ({ way }: P, { why }: RequestEnd): Partial<RowFacts> => ({
    translated: way !== 'native',
    usage: used,
    billing(charged) {
      const isServed = why === 'served'
      if (isServed && charged === null) return { billed: false, why: used ? 'price-unknown' : 'usage-unknown' }
      return { billed: isServed, why }
    },
  })
  const call = async (plan: P, spending: Spending | undefined): Promise<AttemptOutcome> => {
    const { candidate, way, losses } = plan
    const servedFrom = context.attempts.length
    try {
      const { bytes, type, given } = await whole.call(plan, {
        core,
        context,
        candidate,
        signal: signalOf(context),
        accounts: accountsOf(plan, spending),
      })
      // An in-process call declares its losses only while it runs.
      if (way === 'local') checkPlan(context, PROVIDERS, plan)
      const end: RequestEnd = { status: 200, why: 'served' }
      const own = { servedFrom, providerModel: given.model ?? candidate.model }
      await settlePlan(core, context, request, plan, end, { ...facts(plan, end), ...own })
      const headers = type === undefined ? undefined : { 'content-type': type }
      sendServed(context, { name: candidate.instance.name, losses }, bytes, headers)
      return 'served'
    } catch (error) {
      return asError(error)
    }
  }
  const request: ServedRequest<Candidate, P> = {
    ...whole,
    targets: PROVIDERS,
    open: () => ({
      candidates: whole.candidates(),
      plan: whole.plan,
      wayOf: ({ way }) => WAYS[way],
      bound: whole.bound,
      call,
      facts,
    }),
  }
  return serve(core, context, request)
}
