import type { HttpRequest, HttpResponse, Upstream } from '@headgate/core/contract'
import { type Call, type Exchange, isNext, type Next } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { type SendOptions, sendWhole, type UpstreamAccess } from './send.ts'

/** Maximum requests of one exchange, in case an adapter never finishes. */
const MAX_STEPS = 50
/** Maximum wait before a request, in milliseconds. */
const MAX_WAIT_MS = 60_000

export interface ExchangeOptions extends SendOptions {
  /** Throws if a response is a failure. */
  check(answer: HttpResponse): void
  readonly call: Call
}

/** Call without a model, for requests of the gateway itself. Its losses are ignored. */
export const NO_CALL: Call = { model: '', stream: false, headers: {}, lose: () => {} }

/** Errors of an adapter's reader mean that the response is not what the vendor documents. */
function readOrFail<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    throw new HeadgateError('upstream', 'The provider sent an unexpected response.', { cause })
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(Math.max(0, ms), MAX_WAIT_MS),
    )
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Runs an adapter's exchange to its end, with all its requests. */
export function runExchange<In, Out>(
  wire: UpstreamAccess,
  upstream: Upstream,
  exchange: Exchange<In, Out>,
  input: In,
  { call, check, ...options }: ExchangeOptions,
): Promise<Out> {
  const checkUnread = (answer: HttpResponse): void => {
    if (answer.status < 400 || exchange.reads?.(answer) !== true) check(answer)
  }
  return finishExchange(
    wire,
    upstream,
    exchange.request(input, call),
    (answer, earlier) => exchange.response(answer, input, earlier),
    {
      ...options,
      check: checkUnread,
    },
  )
}

/** Runs an exchange to its end, beginning with a request or with a step that follows a request. */
export async function finishExchange<Out>(
  wire: UpstreamAccess,
  upstream: Upstream,
  first: HttpRequest | Next,
  read: (answer: HttpResponse, earlier: readonly HttpResponse[]) => Out | Next,
  { check, ...options }: Omit<ExchangeOptions, 'call'>,
): Promise<Out> {
  const earlier: HttpResponse[] = []
  const isBegun = isNext(first)
  let request = isBegun ? first.request : first
  if (isBegun && first.afterMs > 0) await wait(first.afterMs, options.signal)
  for (let step = isBegun ? 1 : 0; step < MAX_STEPS; step++) {
    const answer = await sendWhole(wire, upstream, request, options)
    check(answer)
    const out = readOrFail(() => read(answer, earlier))
    if (!isNext(out)) return out
    earlier.push(answer)
    if (out.afterMs > 0) await wait(out.afterMs, options.signal)
    request = out.request
  }
  throw new HeadgateError('upstream', `The provider required more than ${MAX_STEPS} requests in one exchange.`)
}
