import type { Exchange, HttpResponse, Upstream } from '@headgate/core/contract'
import { type ErrorKind, HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { NO_CALL, runExchange } from './exchange.ts'
import { createLeases } from './leases.ts'
import { secretsOf } from './secrets.ts'
import { createUpstreams, type UpstreamOrigins } from './upstream.ts'

/** Sends the exchanges of adapters that are not part of a caller's request. */
export interface Sender {
  /**
   * Runs an exchange. Redirects are failures. Rejects with HeadgateError, whose message contains no credential.
   */
  run<In, Out>(upstream: SenderUpstream, exchange: Exchange<In, Out>, input: In, signal: AbortSignal): Promise<Out>
  /** Aborts running exchanges and closes all connections. */
  close(): Promise<void>
}

export interface SenderUpstream extends Upstream {
  readError?(response: HttpResponse): UpstreamError | undefined
}

/** Maximum bytes of a response. */
const LIMIT = 1_048_576
const TIMES = { connect: 10_000, firstByte: 60_000, silence: 30_000 }
/** Maximum length of a quoted message. */
const QUOTED = 300

const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid-request',
  401: 'our-credential',
  403: 'our-credential',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  413: 'too-large',
  422: 'invalid-request',
  429: 'rate-limited',
  503: 'overloaded',
}

/** Sender with separate connections. Origins of `publicOrigins` are connected to only at public addresses. */
export function createSender(origins: UpstreamOrigins = {}): Sender {
  const upstreams = createUpstreams(TIMES, origins)
  const wire = { upstreams, leases: createLeases(upstreams) }
  return {
    async run(upstream, exchange, input, signal) {
      const check = (answer: HttpResponse): void => {
        const failure = upstream.readError?.(answer) ?? failureOf(answer)
        if (failure)
          throw new HeadgateError(failure.kind, failure.message, { ...failure, upstreamStatus: answer.status })
      }
      try {
        return await runExchange(wire, upstream, exchange, input, { call: NO_CALL, check, limit: LIMIT, signal })
      } catch (error) {
        throw withoutSecrets(upstream, error)
      }
    },
    close: () => upstreams.destroy(),
  }
}

function failureOf({ status, headers }: HttpResponse): UpstreamError | undefined {
  if (status < 300) return undefined
  const kind = KINDS[status] ?? 'upstream'
  const wait = waitOf(headers['retry-after'])
  return { kind, message: `it responded with status ${status}`, ...(wait !== undefined && { retryAfterMs: wait }) }
}

/** Wait of `retry-after`, in seconds or as a date, in milliseconds. */
function waitOf(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const ms = Number.isFinite(Number(value)) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return ms >= 0 ? ms : undefined
}

function withoutSecrets({ credential }: Upstream, error: unknown): HeadgateError {
  const known = HeadgateError.is(error) ? error : new HeadgateError('internal', String(error))
  let message = known.message.slice(0, QUOTED)
  for (const secret of secretsOf(credential)) message = message.replaceAll(secret, '[redacted]')
  const { kind, retryAfterMs, code, upstreamStatus } = known
  return new HeadgateError(kind, message, { retryAfterMs, code, upstreamStatus })
}
