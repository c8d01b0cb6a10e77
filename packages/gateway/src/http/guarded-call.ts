import { asError, HeadgateError } from '@headgate/core/errors'
import type { Client, Dispatcher } from 'undici'
import type { Guard } from './guard.ts'
import type { UpstreamCall, UpstreamHandler } from './upstream.ts'

/** Timeouts of a foreign host in milliseconds: until the response begins, and silence within it. */
const FIRST_BYTE_MS = 30_000
const SILENCE_MS = 60_000

/** Sends a GET to a URL from an upstream, at a public address. The handler must follow redirects. */
export function guardedCall(
  guard: Guard,
  url: URL,
  headers: Record<string, string>,
  handler: UpstreamHandler,
): UpstreamCall {
  const ending = new AbortController()
  let client: Client | undefined
  let controller: Dispatcher.DispatchController | undefined
  let over = false
  const finish = (last: () => void): void => {
    if (over) return
    over = true
    client?.destroy().catch(() => {})
    last()
  }
  const fail = (error: unknown): void =>
    finish(() =>
      handler.fail(
        HeadgateError.is(error) ? error : new HeadgateError('upstream', 'The connection broke.', { cause: error }),
      ),
    )
  const guarded = (run: () => void): void => {
    if (over) return
    try {
      run()
    } catch (error) {
      fail(asError(error))
    }
  }
  const events: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
    },
    onResponseStart: (_, status, answered) => guarded(() => status >= 200 && handler.head(status, answered)),
    onResponseData: (_, chunk) => guarded(() => handler.data(chunk)),
    onResponseEnd: () => finish(() => handler.end()),
    onResponseError: (_, error) => fail(error),
  }
  guard
    .connect(url, ending.signal)
    .then((connected) => {
      client = connected
      if (over) return void connected.destroy().catch(() => {})
      const times = { headersTimeout: FIRST_BYTE_MS, bodyTimeout: SILENCE_MS }
      const accepting = { 'accept-encoding': 'identity', 'user-agent': 'headgate', ...headers }
      connected.dispatch({ method: 'GET', path: url.pathname + url.search, headers: accepting, ...times }, events)
    })
    .catch(fail)
  return {
    sent: () => controller !== undefined,
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    abort() {
      ending.abort(new Error('aborted'))
      finish(() => {})
    },
  }
}
