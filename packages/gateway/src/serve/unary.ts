import { addedUsage, type Usage } from '@headgate/core/canonical'
import type { Content } from '@headgate/core/contract'
import { asError } from '@headgate/core/errors'
import { charge } from '../cost/charge.ts'
import type { RowFacts } from '../cost/row.ts'
import { callCostOf, type Spending } from '../cost/spending/spending.ts'
import { signalOf } from '../edge/stop.ts'
import { isContent } from '../http/wire-body.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { type Context, sendServed, sendServedContent } from './context.ts'
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
  /** Bytes, or content that is sent as fast as the caller reads. */
  readonly bytes: Uint8Array | Content
  /** Content type; default `application/json`. */
  readonly type?: string | undefined
  readonly given: CallResult
  /** Frees what the content is read from, after it was sent. */
  close?(): Promise<void>
}

/** Call whose response is sent on while it comes. */
export interface RelayedCall extends CandidateCall {
  /** Settles the row of the request. The attempt must be charged before. */
  settle(end: RequestEnd, facts: Partial<RowFacts>): Promise<void> | undefined
}

/** Request with a response that is read whole, from one provider. */
export interface UnaryRequest<P extends UnaryPlan>
  extends Pick<ServedRequest<Candidate, P>, 'family' | 'format' | 'model' | 'estimate'>,
    Pick<OpenedRequest<Candidate, P>, 'plan' | 'bound'> {
  /** Candidates in order of preference, at least one. Called once the request has its slot. */
  candidates(): Promise<readonly Candidate[]>
  /** Calls a candidate. Rejects with HeadgateError. */
  call(plan: P, asking: CandidateCall): Promise<UnaryResponse>
  /** Calls a candidate whose response is sent on while it comes; undefined = `call` serves the plan. */
  relay?(plan: P, asking: RelayedCall): Promise<AttemptOutcome> | undefined
}

const WAYS = { native: 'bytes', exchange: 'translated', local: 'in-process' } as const

/** Serves a request whose response is read whole. Rejects with the HeadgateError that the caller gets. */
export function serveUnary<P extends UnaryPlan>(core: Core, context: Context, whole: UnaryRequest<P>): Promise<void> {
  let used: Usage | undefined
  const priceOf = (candidate: Candidate) => core.priceOf(candidate, context.startedAt)
  const accountsOf = ({ candidate }: P, spending: Spending | undefined): CallAccounting => ({
    spend(row, usage) {
      charge(row, usage, priceOf(candidate))
      if (usage) used = used ? addedUsage(used, usage) : usage
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
    const asking = { core, context, candidate, signal: signalOf(context), accounts: accountsOf(plan, spending) }
    let response: UnaryResponse | undefined
    try {
      const relayed = whole.relay?.(plan, {
        ...asking,
        settle: (end, own) => settlePlan(core, context, request, plan, end, { ...facts(plan, end), ...own }),
      })
      if (relayed) return await relayed
      response = await whole.call(plan, asking)
      const { bytes, type, given } = response
      // An in-process call declares its losses only while it runs.
      if (way === 'local') checkPlan(context, PROVIDERS, plan)
      const end: RequestEnd = { status: 200, why: 'served' }
      const own = { servedFrom, providerModel: given.model ?? candidate.model }
      await settlePlan(core, context, request, plan, end, { ...facts(plan, end), ...own })
      const headers = type === undefined ? undefined : { 'content-type': type }
      const served = { name: candidate.instance.name, losses }
      if (isContent(bytes)) await sendServedContent(context, served, bytes, headers)
      else sendServed(context, served, bytes, headers)
      return 'served'
    } catch (error) {
      return asError(error)
    } finally {
      await response?.close?.()
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
