import type { HttpRequest, HttpResponse, Upstream } from '@headgate/core/contract'
import { type Call, type Exchange, isNext, type Next } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { type SendOptions, sendWhole, type Wire } from './send.ts'

/** Most requests of one exchange: a reader that asks on and on would never end. */
const MAX_STEPS = 50
/** The longest wait before one of them, in milliseconds. */
const LONGEST_WAIT_MS = 60_000

export interface ExchangeOptions extends SendOptions {
  /** Throws when an answer is a failure. */
  check(answer: HttpResponse): void
  readonly call: Call
}

/** A call that is about no model, and that nobody asked for. Its losses nobody hears of. */
export const NO_CALL: Call = { model: '', stream: false, headers: {}, lose: () => {} }

/** What an adapter's reader throws means that the answer is not what the vendor documents. */
function readOrFail<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    throw new HeadgateError('upstream', 'The provider answered in an unexpected form.', { cause })
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
      Math.min(Math.max(0, ms), LONGEST_WAIT_MS),
    )
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Runs an adapter's exchange to its end, over as many requests as it asks for. */
export function runExchange<In, Out>(
  wire: Wire,
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

/** Runs an exchange whose first request is there, or one that follows a first request, to its end. */
export async function finishExchange<Out>(
  wire: Wire,
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
  throw new HeadgateError('upstream', `The provider asked for more than ${MAX_STEPS} requests in one exchange.`)
}
