import type { Usage } from '@headgate/core/canonical'
import { errorReader } from '@headgate/core/canonical'
import type { Call, Exchange, HttpRequest, InProcess } from '@headgate/core/contract'
import { isNext } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import type { Bound } from '../cost/bound.ts'
import type { NotedAttempt } from '../cost/charge.ts'
import { type ExchangeOptions, finishExchange } from '../http/exchange.ts'
import type { Candidate } from '../routing/candidates.ts'
import { unlessAborted } from './abort.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { explain, failureOf } from './failure.ts'
import { type Callee, callNoted, notedLocal } from './noted.ts'
import { wireOf } from './trace.ts'

const readError = errorReader({ codes: [] })

/** What one call of an upstream gave. */
export interface Given {
  readonly usage: Usage | undefined
  /** As the upstream names it. */
  readonly model: string | undefined
}

/** Says what a call costs that used so much. */
export type Spend = (row: NotedAttempt, usage: Usage | undefined) => void

/** Reserves what a call may cost. Rejects with HeadgateError where it may not be made. */
export type Reserve = (bound: Bound | undefined) => Promise<void>

/** What accounts for calls. */
export interface Accounts {
  readonly spend: Spend
  /** Absent where nothing bounds what is spent. */
  readonly reserve: Reserve | undefined
}

/**
 * Makes one call of an upstream, with its attempt noted. `spend` hears of what it used, also where a later one of the
 * request fails.
 * `isLocal`: the call runs in this process.
 */
export type Asker = <T extends Given>(
  bound: () => Bound | undefined,
  call: (options: Omit<ExchangeOptions, 'call'>) => Promise<T>,
  isLocal?: boolean,
) => Promise<T>

/** What asks a candidate for answers that are read whole. */
export function askerOf(
  core: Core,
  context: Context,
  { instance, model }: Candidate,
  signal: AbortSignal,
  { spend, reserve }: Accounts,
): Asker {
  /** Failures that say already whose they are. */
  const explained = new WeakSet<HeadgateError>()
  const { provider, name, waiting } = instance
  const callee: Callee = {
    provider: name,
    model,
    billing: provider.billing,
    waiting,
    repeats: name,
    failureOf(answer) {
      const error = failureOf(answer, { readError }, provider)
      const said = error && explain(error, name, model, provider)
      if (said) explained.add(said)
      return said
    },
  }
  const asked: Asker = (_bound, call, isLocal = false) =>
    callNoted(core, context, callee, signal, async (options, note) => {
      const given = await (isLocal ? notedLocal(note, () => call(options)) : call(options))
      spend(note.row, given.usage)
      return given
    }).catch((error: unknown) => {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (!HeadgateError.is(error)) throw new HeadgateError('upstream', `${name}: it failed.`, { cause: error })
      throw explained.has(error) ? error : reworded(error, `${name}: ${error.message}`)
    })
  return reserve ? (bound, call, isLocal) => reserve(bound()).then(() => asked(bound, call, isLocal)) : asked
}

/** A candidate while it is asked for an answer that is read whole. */
export interface Asking {
  readonly core: Core
  readonly context: Context
  readonly candidate: Candidate
  readonly signal: AbortSignal
  readonly accounts: Accounts
}

/** One call of what an adapter supports. */
export interface SupportCall<In, Out> {
  readonly support: Exchange<In, Out> | InProcess<In, Promise<Out>>
  readonly input: In
  readonly call: Call
  /** First request of an exchange, if it is built already. */
  readonly request?: HttpRequest
}

/**
 * Makes one call of what an adapter supports: an exchange, or a call in this process. `read` checks what the adapter
 * returns.
 */
export function askSupport<In, Out, T extends Given>(
  { core, context, candidate, signal, accounts }: Asking,
  bound: () => Bound | undefined,
  { support, input, call, request }: SupportCall<In, Out>,
  read: (out: Out) => T,
): Promise<T> {
  const { provider, name } = candidate.instance
  const ask = askerOf(core, context, candidate, signal, accounts)
  if ('run' in support)
    return ask(bound, async () => read(await unlessAborted(support.run(input, signal, call), signal)), true)
  const first = request ?? support.request(input, call)
  return ask(bound, (options) =>
    finishExchange(
      wireOf(core, context, name, provider),
      provider,
      first,
      (answer, earlier) => {
        const out = support.response(answer, input, earlier)
        return isNext(out) ? out : read(out)
      },
      options,
    ),
  )
}
