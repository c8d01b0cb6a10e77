import type { Codec } from '@headgate/core/canonical'
import type { Exchange, HttpResponse, ProviderInstance } from '@headgate/core/contract'
import { HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { chatCompletions, wires } from '@headgate/core/formats'
import { createUpstreams } from '#transport'
import { NO_CALL, runExchange } from '../../http/exchange.ts'
import { createLeases } from '../../http/leases.ts'
import { scrub } from '../../http/scrub.ts'
import { failureOf } from '../../serve/failure.ts'

const CONNECT_MS = 5_000
const WHOLE_MS = 10_000
const MAX_BYTES = 32 * 1024 * 1024

/** What came of asking a provider for its list of models. */
export interface Checkup {
  /** Status of its answer; absent = none came. */
  readonly status?: number
  /** How far this machine's clock is ahead of the provider's, in milliseconds; absent = the answer does not say. */
  readonly aheadMs?: number
  /** Absent = it answered with its list. The provider's own words, without credentials. */
  readonly error?: UpstreamError
}

/** The list up to its first page: the rest says nothing more of the credential. */
function firstPage({ request, response }: NonNullable<ProviderInstance['models']>): Exchange<void, true> {
  return {
    request,
    response(answer) {
      response(answer, undefined, [])
      return true
    },
  }
}

function formatOf({ chat = [] }: ProviderInstance): Codec | undefined {
  const format = chat.find((support) => 'format' in support)?.format ?? chatCompletions
  return typeof format === 'string' ? wires.get(format) : format
}

/** How far our clock is ahead of an answer's; a `Date` header has whole seconds. */
function aheadOf({ headers }: HttpResponse): number | undefined {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? undefined : Date.now() - date - 500
}

/**
 * Asks a provider for its list of models, its cheapest call that needs the credential; undefined = it has none. Takes
 * 10 s at most. Never rejects: an error of kind `internal` comes from the adapter itself.
 */
export async function checkProvider(provider: ProviderInstance): Promise<Checkup | undefined> {
  const format = formatOf(provider)
  if (!provider.models || !format) return undefined
  const upstreams = createUpstreams({ connect: CONNECT_MS, firstByte: WHOLE_MS, silence: WHOLE_MS })
  let seen: Checkup = {}
  try {
    await runExchange({ upstreams, leases: createLeases(upstreams) }, provider, firstPage(provider.models), undefined, {
      call: NO_CALL,
      limit: MAX_BYTES,
      signal: AbortSignal.timeout(WHOLE_MS),
      check(answer) {
        const error = failureOf(answer, format, provider)
        const aheadMs = aheadOf(answer)
        seen = { status: answer.status, ...(aheadMs !== undefined && { aheadMs }) }
        if (error) throw new HeadgateError(error.kind, error.message)
      },
    })
    return seen
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      ...seen,
      error: { kind: HeadgateError.is(error) ? error.kind : 'internal', message: scrub(message, provider) },
    }
  } finally {
    await upstreams.destroy()
  }
}
