import { errorReader } from '@headgate/core/canonical'
import type { Call, Exchange, HttpRequest, InProcess } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import { sentOf } from '../../cost/charge.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { UpstreamAccess } from '../../http/send.ts'
import type { UpstreamCall } from '../../http/upstream.ts'
import type { EndpointPlace } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import { explain, fromResponse } from '../failure.ts'

const readError = errorReader({ codes: [] })

/** Method of a provider, as an exchange or in this process. */
export type TaskCall<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

/** Target of a call: a model at an endpoint. */
export interface TaskTarget extends EndpointPlace {
  readonly model: string
}

/** Facts about a running call. */
export interface TaskCallResult {
  /** Status of the newest response. */
  status: number | undefined
  /** Set if the upstream responded with an error. */
  refused: boolean
  /** Set if an earlier try may have succeeded. */
  unsure: boolean
  call: Pick<UpstreamCall, 'sent'> | undefined
}

export function emptyResult(): TaskCallResult {
  return { status: undefined, refused: false, unsure: false, call: undefined }
}

/** A call that is ready to be sent. Rejects with HeadgateError that names the provider. */
export type ReadyCall<Out> = (options: {
  signal: AbortSignal
  result: TaskCallResult
  hops?: number
  wire?: UpstreamAccess
}) => Promise<Out>

/** Builds the request of a call, so that its losses are known before it is sent. */
export function readyCall<In, Out>(
  core: Core,
  { instance, endpoint, model }: TaskTarget,
  asked: TaskCall<In, Out>,
  input: In,
  { lose = () => {}, isOnce = false }: { readonly lose?: Call['lose']; readonly isOnce?: boolean } = {},
): ReadyCall<Out> {
  const { name } = instance
  const { provider } = endpoint
  const call: Call = { model, stream: false, headers: {}, lose }
  const first = 'run' in asked ? undefined : asked.request(input, call)
  return async ({ signal, result, hops = 0, wire = core }) => {
    /** Error whose message already names the provider. */
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
          mayRepeat: () => core.retries.mayRetry(name, now()),
          hops,
          onCall: (begun) => {
            result.call = sentOf(result.call, begun)
          },
          check(answer) {
            result.status = answer.status
            if (answer.status >= 400 && !('run' in asked) && asked.reads?.(answer)) return
            // An error in a successful response is the task's failure.
            const error =
              provider.readError?.(answer) ?? (answer.status < 400 ? undefined : readError(answer.status, answer.body))
            if (!error) return
            result.refused = true
            explained = explain(fromResponse(error, answer, provider.limitHeaders), name, model, provider)
            throw explained
          },
        },
      )
    } catch (error) {
      if (signal.aborted && HeadgateError.is(signal.reason)) throw signal.reason
      if (error === explained) throw error
      if (!HeadgateError.is(error)) throw new HeadgateError('upstream', `${name}: the call failed.`, { cause: error })
      throw reworded(error, `${name}: ${error.message}`)
    }
  }
}

/** Calls a provider. Rejects with HeadgateError that names the provider. */
export function callProvider<In, Out>(
  core: Core,
  asked: TaskTarget,
  call: TaskCall<In, Out>,
  input: In,
  options: { signal: AbortSignal; result: TaskCallResult },
): Promise<Out> {
  return readyCall(core, asked, call, input)(options)
}

/** Statuses that proxies send if the upstream's result is unknown. */
const AMBIGUOUS_STATUSES: ReadonlySet<number | undefined> = new Set([408, 502, 504, 522, 524])

/** True if a failed call may have succeeded at the upstream. */
export function isUnknown({ status, refused, unsure, call }: TaskCallResult): boolean {
  if (unsure) return true
  if (call?.sent() !== true) return false
  return refused ? AMBIGUOUS_STATUSES.has(status) : status === undefined || status < 300
}
