import type { Credential } from '@headgate/core/contract'
import { now, since } from '../clock.ts'
import type { Incoming, Sink } from '../edge/sink.ts'
import { type ScrubTarget, scrub } from '../http/scrub.ts'
import type { UpstreamAccess } from '../http/send.ts'
import type { UpstreamHandler, Upstreams } from '../http/upstream.ts'
import { isContent } from '../http/wire-body.ts'
import type { TracedBody, TracedCall, WireTrace } from '../ports/traces.ts'

/** Maximum recorded bytes per body, and maximum recorded calls, including the caller's. */
const MAX_BODY_BYTES = 131_072
const MAX_CALLS = 16
/** Bytes removed at a cut, which may contain part of a credential. */
const CUT_MARGIN = 512
/** Headers with credentials or session information. */
const SECRET = /^(?:.*authorization|.*cookie2?|.*api-?key|.*token|.*secret|.*signature|x-amz-.*credential)$/i
const REDACTED = '[redacted]'
const TEXT = /json|text|xml|urlencoded|javascript|^$/i

type TracedHeaders = Readonly<Record<string, string | string[] | undefined>>

const WITHOUT_CREDENTIAL: ScrubTarget = { credential: { kind: 'none' } satisfies Credential }

/** Recorder of a body. */
interface BodyRecorder {
  add(chunk: Uint8Array | string): void
  /** @param headers headers of the same message */
  done(headers: TracedHeaders, owner: ScrubTarget): TracedBody
}

/** Recorder of one request's HTTP traffic. */
export interface Tracing {
  readonly incoming: Incoming
  readonly sink: Sink
  /** Wraps connections so that calls of a provider are recorded. */
  upstreams(upstreams: Upstreams, provider: string, owner: ScrubTarget): Upstreams
  /** Trace of the request, after its end. */
  done(): WireTrace
}

/** Starts recording. The returned `incoming` and `sink` replace the given ones. */
export function createTracing(
  given: Pick<WireTrace, 'requestId' | 'principal' | 'startedAt'>,
  incoming: Incoming,
  sink: Sink,
): Tracing {
  const calls: { readonly done: () => TracedCall }[] = []
  const own = createCall({
    method: incoming.method,
    url: incoming.url,
    headers: incoming.headers,
    owner: WITHOUT_CREDENTIAL,
  })
  calls.push(own)

  return {
    incoming: {
      ...incoming,
      read: async (...asked) => {
        const bytes = await incoming.read(...asked)
        own.sent(bytes)
        return bytes
      },
    },
    sink: {
      ...sink,
      head(status, headers) {
        own.head(status, headers)
        sink.head(status, headers)
      },
      write(chunk) {
        own.data(chunk)
        return sink.write(chunk)
      },
      end(chunk) {
        if (chunk !== undefined) own.data(chunk)
        own.end()
        sink.end(chunk)
      },
      destroy() {
        own.end('The connection was cut.')
        sink.destroy()
      },
    },
    upstreams: (upstreams, provider, owner) => ({
      ...upstreams,
      call(request, handler) {
        const { method, origin, path, headers, body = '' } = request
        if (calls.length >= MAX_CALLS) return upstreams.call(request, handler)
        const call = createCall({ provider, method, url: origin + path, headers: { ...headers }, owner })
        calls.push(call)
        call.sent(isContent(body) ? `[${body.size} bytes of a file]` : body)
        return upstreams.call(request, recordingHandler(call, handler))
      },
    }),
    done: () => ({ ...given, calls: calls.map((call) => call.done()) }),
  }
}

/** Connections for a request; recorded if the request is traced. */
export function upstreamAccessOf(
  core: UpstreamAccess,
  { trace }: { readonly trace: Tracing | undefined },
  provider: string,
  owner: ScrubTarget,
): UpstreamAccess {
  if (trace === undefined) return core
  return { leases: core.leases, upstreams: trace.upstreams(core.upstreams, provider, owner) }
}

type CallTrace = ReturnType<typeof createCall>

function createCall({
  provider,
  method,
  url,
  headers,
  owner,
}: {
  readonly provider?: string
  readonly method: string
  readonly url: string
  readonly headers: TracedHeaders
  readonly owner: ScrubTarget
}) {
  const [startedAt, begunAt] = [Date.now(), now()]
  const [request, answer] = [createBodyRecorder(), createBodyRecorder()]
  let head: { readonly status: number; readonly headers: TracedHeaders } | undefined
  let durationMs: number | undefined
  let failure: string | undefined
  return {
    sent: (body: Uint8Array | string) => request.add(body),
    head(status: number, headers: TracedHeaders) {
      head = { status, headers }
    },
    data: (chunk: Uint8Array | string) => answer.add(chunk),
    end(why?: string) {
      durationMs ??= since(begunAt)
      failure ??= why
    },
    done: (): TracedCall => ({
      ...(provider !== undefined && { provider }),
      method,
      url: scrub(url, owner),
      headers: plain(headers, owner),
      body: request.done(headers, owner),
      startedAt,
      durationMs: durationMs ?? since(begunAt),
      ...(head && {
        answer: { status: head.status, headers: plain(head.headers, owner), body: answer.done(head.headers, owner) },
      }),
      ...(failure !== undefined && { failure: scrub(failure, owner) }),
    }),
  }
}

function recordingHandler(call: CallTrace, handler: UpstreamHandler): UpstreamHandler {
  return {
    head(status, headers) {
      call.head(status, headers)
      handler.head(status, headers)
    },
    data(chunk) {
      call.data(chunk)
      handler.data(chunk)
    },
    end() {
      call.end()
      handler.end()
    },
    fail(error) {
      call.end(error.message)
      handler.fail(error)
    },
  }
}

function createBodyRecorder(): BodyRecorder {
  const chunks: Buffer[] = []
  let [bytes, kept] = [0, 0]
  return {
    add(chunk) {
      const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      bytes += piece.length
      if (kept >= MAX_BODY_BYTES) return
      // Only the beginning of a large body is stored.
      const part = Buffer.from(piece.subarray(0, MAX_BODY_BYTES - kept))
      kept += part.length
      chunks.push(part)
    },
    done(headers, owner) {
      const isCut = bytes > kept
      const isText =
        TEXT.test(String(headers['content-type'] ?? '')) && (headers['content-encoding'] ?? 'identity') === 'identity'
      const text = isText ? scrub(Buffer.concat(chunks).toString(), owner) : ''
      return { text: isCut ? text.slice(0, -CUT_MARGIN) : text, bytes, isCut: isCut && isText }
    },
  }
}

function plain(headers: TracedHeaders, owner: ScrubTarget): Record<string, string> {
  const named = owner.credential.kind === 'header' ? owner.credential.name.toLowerCase() : undefined
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      return [[name, SECRET.test(name) || name.toLowerCase() === named ? REDACTED : scrub(String(value), owner)]]
    }),
  )
}
