import { errorReader } from '@headgate/core/canonical'
import type { Call, Exchange, HttpRequest, InProcess } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import { sentOf } from '../../cost/charge.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { Wire } from '../../http/send.ts'
import type { UpstreamCall } from '../../http/upstream.ts'
import type { Instance } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import { explain, fromAnswer } from '../failure.ts'

const readError = errorReader({ codes: [] })

/** What an upstream does of its own, or what is done in this process. */
export type TaskCall<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

/** Who is asked, for which model. */
export interface Asked {
  readonly instance: Instance
  readonly model: string
}

/** What became known of a call while it ran. */
export interface Told {
  /** Status of the newest answer. */
  status: number | undefined
  /** The upstream has said that it does not do it. */
  refused: boolean
  /** An earlier try may have been carried out. */
  unsure: boolean
  call: Pick<UpstreamCall, 'sent'> | undefined
}

export function nothingTold(): Told {
  return { status: undefined, refused: false, unsure: false, call: undefined }
}

/** A call that only has to be made. Rejects with HeadgateError that says who failed. */
export type ReadyCall<Out> = (made: { signal: AbortSignal; told: Told; hops?: number; wire?: Wire }) => Promise<Out>

/** Builds the request of a call, so that what it loses is known before it is sent. */
export function readyCall<In, Out>(
  core: Core,
  { instance, model }: Asked,
  asked: TaskCall<In, Out>,
  input: In,
  { lose = () => {}, isOnce = false }: { readonly lose?: Call['lose']; readonly isOnce?: boolean } = {},
): ReadyCall<Out> {
  const { provider, name } = instance
  const call: Call = { model, stream: false, headers: {}, lose }
  const first = 'run' in asked ? undefined : asked.request(input, call)
  return async ({ signal, told, hops = 0, wire = core }) => {
    /** What says already whose failure it is. */
    let explained: unknown
    try {
      if ('run' in asked) return await asked.run(input, signal, call)
      return await finishExchange(
        wire,
        provider,
        first as HttpRequest,
        (answer, earlier) => asked.response(answer, input, earlier),
        {
          limit: core.limits.answer,
          waiting: instance.waiting,
          signal,
          isOnce,
          mayRepeat: () => core.retries.mayAgain(name, now()),
          hops,
          onCall: (begun) => {
            told.call = sentOf(told.call, begun)
          },
          check(answer) {
            told.status = answer.status
            if (answer.status >= 400 && !('run' in asked) && asked.reads?.(answer)) return
            // An error in an answer that is well is the task's own.
            const error =
              provider.readError?.(answer) ?? (answer.status < 400 ? undefined : readError(answer.status, answer.body))
            if (!error) return
            told.refused = true
            explained = explain(fromAnswer(error, answer), name, model, provider)
            throw explained
          },
        },
      )
    } catch (error) {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (error === explained) throw error
      if (!HeadgateError.is(error)) throw new HeadgateError('upstream', `${name}: it failed.`, { cause: error })
      throw reworded(error, `${name}: ${error.message}`)
    }
  }
}

/** Asks a provider. Rejects with HeadgateError that says who failed. */
export function askProvider<In, Out>(
  core: Core,
  asked: Asked,
  call: TaskCall<In, Out>,
  input: In,
  made: { signal: AbortSignal; told: Told },
): Promise<Out> {
  return readyCall(core, asked, call, input)(made)
}

/** Statuses that somebody between here and the upstream gives, when nobody knows what it has done. */
const VAGUE: ReadonlySet<number | undefined> = new Set([408, 502, 504, 522, 524])

/** Whether a call that failed may have been carried out all the same. */
export function isUnknown({ status, refused, unsure, call }: Told): boolean {
  if (unsure) return true
  if (call?.sent() !== true) return false
  return refused ? VAGUE.has(status) : status === undefined || status < 300
}
