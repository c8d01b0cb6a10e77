import type { Codec, ModelFacts } from '@headgate/core/canonical'
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

/** Result of listing a provider's models. */
export interface ProviderCheck {
  /** HTTP status; absent = no response. */
  readonly status?: number
  /** Milliseconds that this machine's clock is ahead of the provider's; absent = unknown. */
  readonly aheadMs?: number
  /** The provider's error without credentials; absent = success. */
  readonly error?: UpstreamError
  /** Model list; absent if it has several pages, of which only the first is read, or if there was an error. */
  readonly list?: CheckedList
}

/** Complete model list of a provider. */
export interface CheckedList {
  /** Models that the adapter reads from the list. */
  readonly models: readonly ModelFacts[]
  /** Models that the adapter package contains, and that occur nowhere in the list. */
  readonly missing: readonly ModelFacts[]
}

export interface ProviderCheckOptions {
  /** Origins that are connected to only at public addresses. Default: none. */
  readonly publicOrigins?: readonly string[] | undefined
}

/** First page of a list. */
interface FirstListPage {
  /** Absent if more pages follow. */
  readonly list?: CheckedList
}

/** Exchange that reads only the first page, which is enough to check the credential. */
function firstPage({ request, response }: NonNullable<ProviderInstance['models']>, known: readonly ModelFacts[]) {
  return {
    request,
    response(answer) {
      const models = response(answer, undefined, [])
      if (!Array.isArray(models)) return {}
      // Adapters leave out models and shorten ids, so the text of the list decides.
      const text = JSON.stringify(answer.body ?? '')
      return { list: { models, missing: known.filter(({ id }) => !text.includes(id)) } }
    },
  } satisfies Exchange<void, FirstListPage>
}

function formatOf({ chat = [] }: ProviderInstance): Codec | undefined {
  const format = chat.find((support) => 'format' in support)?.format ?? chatCompletions
  return typeof format === 'string' ? wires.get(format) : format
}

/**
 * Milliseconds that the local clock is ahead of a response. `Date` headers have whole seconds, so half a second is
 * subtracted.
 */
function aheadOf({ headers }: HttpResponse): number | undefined {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? undefined : Date.now() - date - 500
}

/**
 * Lists a provider's models, the cheapest call that needs the credential. Undefined if the provider has no model list.
 * Takes at most 10 s and never rejects. An error of kind `internal` comes from the adapter.
 * @example
 * ```ts
 * const check = await checkProvider(openai({ apiKey }))
 * if (check?.error) console.error(check.error.message)
 * ```
 */
export async function checkProvider(
  provider: ProviderInstance,
  { publicOrigins }: ProviderCheckOptions = {},
): Promise<ProviderCheck | undefined> {
  const format = formatOf(provider)
  if (!provider.models || !format) return undefined
  const upstreams = createUpstreams({ connect: CONNECT_MS, firstByte: WHOLE_MS, silence: WHOLE_MS }, { publicOrigins })
  let seen: ProviderCheck = {}
  try {
    const page = await runExchange(
      { upstreams, leases: createLeases(upstreams) },
      provider,
      firstPage(provider.models, provider.known ?? []),
      undefined,
      {
        call: NO_CALL,
        limit: MAX_BYTES,
        signal: AbortSignal.timeout(WHOLE_MS),
        check(answer) {
          const error = failureOf(answer, format, provider)
          const aheadMs = aheadOf(answer)
          seen = { status: answer.status, ...(aheadMs !== undefined && { aheadMs }) }
          if (error) throw new HeadgateError(error.kind, error.message)
        },
      },
    )
    return { ...seen, ...page }
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
