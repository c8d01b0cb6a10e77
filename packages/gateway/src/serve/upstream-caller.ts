import type { Usage } from '@headgate/core/canonical'
import { errorReader } from '@headgate/core/canonical'
import type { Call, Exchange, HttpRequest, InProcess } from '@headgate/core/contract'
import { isNext } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import type { UsageBound } from '../cost/bound.ts'
import type { RecordedAttempt } from '../cost/charge.ts'
import { type ExchangeOptions, finishExchange } from '../http/exchange.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { unlessAborted } from './abort.ts'
import { type Callee, recordExchange, recordLocal } from './call-record.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { explain, failureOf } from './failure.ts'
import { upstreamAccessOf } from './trace.ts'

const readError = errorReader({ codes: [] })

/** Usage and model of one upstream call. */
export interface CallResult {
  readonly usage: Usage | undefined
  /** Model as the upstream reported it. */
  readonly model: string | undefined
}

/** Sets the cost of an attempt by its usage. */
export type RecordCost = (row: RecordedAttempt, usage: Usage | undefined) => void

/** Reserves the worst-case cost of a call. Rejects with HeadgateError if the call is not allowed. */
export type ReserveCost = (bound: UsageBound | undefined) => Promise<void>

/** Accounting functions for calls. */
export interface CallAccounting {
  readonly spend: RecordCost
  /** Absent if no budget applies. */
  readonly reserve: ReserveCost | undefined
}

/**
 * Runs one upstream call and records its attempt. The usage is reported to `spend`, even if a later call of the request
 * fails. `isLocal`: the call runs in this process.
 */
export type UpstreamCaller = <T extends CallResult>(
  bound: () => UsageBound | undefined,
  call: (options: Omit<ExchangeOptions, 'call'>) => Promise<T>,
  isLocal?: boolean,
) => Promise<T>

/** Creates a caller of a candidate for responses that are read whole. */
export function upstreamCaller(
  core: Core,
  context: Context,
  candidate: Candidate,
  signal: AbortSignal,
  { spend, reserve }: CallAccounting,
): UpstreamCaller {
  /** Failures whose message already names the provider. */
  const explained = new WeakSet<HeadgateError>()
  const { model } = candidate
  const { name, waiting, tracing } = candidate.instance
  const { provider } = candidate.endpoint
  const callee: Callee = {
    ...subjectOf(candidate),
    billing: provider.billing,
    waiting,
    tracing,
    limitHeaders: provider.limitHeaders,
    repeats: name,
    failureOf(answer) {
      const error = failureOf(answer, { readError }, provider)
      const explainedError = error && explain(error, name, model, provider)
      if (explainedError) explained.add(explainedError)
      return explainedError
    },
  }
  const callUpstream: UpstreamCaller = (_bound, call, isLocal = false) =>
    recordExchange(core, context, callee, signal, async (options, note) => {
      const given = await (isLocal ? recordLocal(note, () => call(options)) : call(options))
      spend(note.row, given.usage)
      return given
    }).catch((error: unknown) => {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (!HeadgateError.is(error)) throw new HeadgateError('upstream', `${name}: the call failed.`, { cause: error })
      throw explained.has(error) ? error : reworded(error, `${name}: ${error.message}`)
    })
  return reserve
    ? (bound, call, isLocal) => reserve(bound()).then(() => callUpstream(bound, call, isLocal))
    : callUpstream
}

/** Call target: a candidate whose response is read whole. */
export interface CandidateCall {
  readonly core: Core
  readonly context: Context
  readonly candidate: Candidate
  readonly signal: AbortSignal
  readonly accounts: CallAccounting
}

/** Call of a method that an adapter supports. */
export interface SupportCall<In, Out> {
  readonly support: Exchange<In, Out> | InProcess<In, Promise<Out>>
  readonly input: In
  readonly call: Call
  /** First request of an exchange, if it has been built already. */
  readonly request?: HttpRequest
}

/**
 * Calls a method that an adapter supports, as an exchange or in this process. `read` validates what the adapter
 * returns.
 */
export function callSupport<In, Out, T extends CallResult>(
  { core, context, candidate, signal, accounts }: CandidateCall,
  bound: () => UsageBound | undefined,
  { support, input, call, request }: SupportCall<In, Out>,
  read: (out: Out) => T,
): Promise<T> {
  const { name } = candidate.instance
  const { provider } = candidate.endpoint
  const ask = upstreamCaller(core, context, candidate, signal, accounts)
  if ('run' in support)
    return ask(bound, async () => read(await unlessAborted(support.run(input, signal, call), signal)), true)
  const first = request ?? support.request(input, call)
  return ask(bound, (options) =>
    finishExchange(
      upstreamAccessOf(core, context, name, provider),
      provider,
      first,
      (answer, earlier) => {
        const out = support.response(answer, input, earlier)
        return isNext(out) ? out : read(out)
      },
      {
        ...options,
        check: (answer) => {
          if (support.reads?.(answer) !== true) options.check(answer)
        },
      },
    ),
  )
}
