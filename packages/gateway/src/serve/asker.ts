import type { Usage } from '@headgate/core/canonical'
import { errorReader } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import { now } from '../clock.ts'
import type { Bound } from '../cost/bound.ts'
import { isRejection, type NotedAttempt, STARTED, sentOf } from '../cost/charge.ts'
import { hopsOf } from '../edge/hops.ts'
import type { ExchangeOptions } from '../http/exchange.ts'
import type { UpstreamCall } from '../http/upstream.ts'
import type { Candidate } from '../routing/candidates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { explain, failureOf } from './failure.ts'
import { type CallNote, noted } from './noted.ts'

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
  const check = (note: CallNote) => (answer: HttpResponse) => {
    const isFirst = note.row.status === undefined
    note.row.status = answer.status
    const error = failureOf(answer, { readError }, instance.provider)
    note.refused = isFirst && error !== undefined && answer.status >= 400
    if (!error) return
    const said = explain(error, instance.name, model, instance.provider)
    explained.add(said)
    throw said
  }
  const asked: Asker = (_bound, call, isLocal = false) =>
    noted(context, { provider: instance.name, model, billing: instance.provider.billing }, async (note) => {
      signal.throwIfAborted()
      const onCall = (begun: UpstreamCall): void => {
        note.call = sentOf(note.call, begun)
      }
      if (isLocal) note.call = STARTED
      const mayRepeat = (): boolean => context.holding === undefined && core.retries.mayAgain(instance.name, now())
      const hops = hopsOf(context.incoming)
      const given = await call({
        limit: core.limits.answer,
        signal,
        memory: context.memory,
        waiting: instance.waiting,
        hops,
        check: check(note),
        onCall,
        mayRepeat,
      }).catch((error: unknown) => {
        if (isLocal) note.refused = isRejection(error)
        throw error
      })
      spend(note.row, given.usage)
      return given
    }).catch((error: unknown) => {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (!HeadgateError.is(error))
        throw new HeadgateError('upstream', `${instance.name}: it failed.`, { cause: error })
      throw explained.has(error) ? error : reworded(error, `${instance.name}: ${error.message}`)
    })
  return reserve ? (bound, call, isLocal) => reserve(bound()).then(() => asked(bound, call, isLocal)) : asked
}
