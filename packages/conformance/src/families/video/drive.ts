import { errorReader } from '@headgate/core/codec'
import type { Content, UpstreamError } from '@headgate/core/provider'
import {
  type Exchange,
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  isNext,
  targetOf,
} from '@headgate/core/provider'
import type { Harness } from '../../harness.ts'
import { parse } from '../../json.ts'
import { type TestCall, testCall } from '../../test-call.ts'

/** Maximum number of requests in one exchange. */
const MAX_STEPS = 20

/**
 * Outcome of an exchange: a result, a failure of the vendor as the provider reads it, or an error that the adapter
 * threw.
 */
export interface ExchangeOutcome<Out> {
  readonly out?: Out
  readonly failure?: UpstreamError
  readonly thrown?: string
  readonly losses: TestCall['losses']
  /** Number of requests to the vendor. */
  readonly steps: number
}

/** Runs an exchange of the adapter against the harness's upstream, without a gateway and without a credential. */
export async function drive<In, Out>(
  harness: Harness,
  exchange: Exchange<In, Out>,
  input: In,
  model: string,
): Promise<ExchangeOutcome<Out>> {
  const call = testCall({ model })
  const earlier: HttpResponse[] = []
  const outcome = (found: Pick<ExchangeOutcome<Out>, 'out' | 'failure' | 'thrown'>): ExchangeOutcome<Out> => ({
    ...found,
    losses: call.losses,
    steps: earlier.length + 1,
  })
  try {
    let request = exchange.request(input, call)
    while (earlier.length < MAX_STEPS) {
      const answer = await send(harness, request)
      const failure = answer.status >= 400 && exchange.reads?.(answer) ? undefined : failureOf(harness, answer)
      if (failure) return outcome({ failure })
      const out = exchange.response(answer, input, earlier)
      if (!isNext(out)) return outcome({ out })
      earlier.push(answer)
      request = out.request
    }
    return outcome({ thrown: `\`response\` returned \`next\` for each of ${MAX_STEPS} responses, without a result` })
  } catch (error) {
    if (HeadgateError.is(error) && error.kind !== 'upstream') {
      const { kind, message, retryAfterMs } = error
      return outcome({ failure: { kind, message, ...(retryAfterMs !== undefined && { retryAfterMs }) } })
    }
    return outcome({ thrown: error instanceof Error ? error.message : String(error) })
  }
}

async function send({ provider, upstream }: Harness, request: HttpRequest): Promise<HttpResponse> {
  const { pathname, search } = targetOf(provider, request.url)
  const { body } = request
  const type = body && ('json' in body ? 'application/json' : 'bytes' in body ? body.type : undefined)
  const answer = await fetch(upstream.origin + pathname + search, {
    method: request.method,
    headers: { ...(type && { 'content-type': type }), ...request.headers },
    ...(body && { body: contentOf(body) }),
  })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: parse(Buffer.from(bytes).toString('utf8')),
    bytes,
  }
}

function contentOf(body: NonNullable<HttpRequest['body']>): string | FormData | Uint8Array<ArrayBuffer> {
  if ('json' in body) return JSON.stringify(body.json)
  if ('bytes' in body) return partOf(body.bytes)
  const form = new FormData()
  for (const { name, value, filename, type } of body.form) {
    if (typeof value === 'string' && filename === undefined) form.append(name, value)
    else form.append(name, new Blob([partOf(value)], { type: type ?? '' }), filename)
  }
  return form
}

const readError = errorReader({ codes: [] })

/** Core's reading of a failure; by message and status if the adapter does not read it. */
function failureOf({ provider }: Harness, answer: HttpResponse): UpstreamError | undefined {
  const own = provider.readError?.(answer)
  const wait = Number(answer.headers['retry-after']) * 1000
  const error = own ?? (answer.status >= 400 ? readError(answer.status, answer.body) : undefined)
  return error && { ...(Number.isNaN(wait) ? {} : { retryAfterMs: wait }), ...error }
}

/** Actual outcome, for a message. */
export function instead({ out, failure, thrown }: ExchangeOutcome<unknown>): string {
  if (thrown !== undefined) return `the adapter threw: ${thrown}`
  return failure ? `it is a failure of kind ${failure.kind}: ${failure.message}` : `it gave ${JSON.stringify(out)}`
}

/** @throws TypeError for content that is read when it is sent */
function partOf(bytes: Uint8Array | string | Content): string | Uint8Array<ArrayBuffer> {
  if (typeof bytes === 'string') return bytes
  if ('read' in bytes) throw new TypeError('A video request sends no files of callers.')
  return new Uint8Array(bytes)
}
