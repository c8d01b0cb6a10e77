import type { FetchedMedia, LinkedMedia } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import { signalOf } from '../edge/stop.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Downloads of one request that run at the same time. */
const PARALLEL = 4
/** Most URLs of one request. */
const MAX_URLS = 100

/** The media of one request, by URL. */
export type Media = ReadonlyMap<string, FetchedMedia>

/** Fetches what a candidate needs. A URL is fetched once, whatever the number of candidates and attempts. */
export type Fetcher = (linked: readonly LinkedMedia[]) => Promise<Media>

/**
 * Rejects with HeadgateError that names the field. What the caller sends by URL may be as large, altogether, as what it
 * may send in a body.
 */
export function createFetcher(core: Core, context: Context): Fetcher {
  const fetched = new Map<string, FetchedMedia>()
  /** Bytes that may still be fetched. */
  let left = core.limits.body

  const fetchOne = async (linked: LinkedMedia, signal: AbortSignal): Promise<void> => {
    const { bytes, mime } = await core.download(linked, signal)
    left -= bytes.length
    context.memory.take(bytes.length)
    if (left < 0)
      throw invalid(
        linked.path,
        `The media of this request are larger than ${core.limits.body} bytes. Send less, or smaller ones.`,
      )
    fetched.set(linked.url, { data: bytes.toString('base64'), mime })
  }

  /** Takes from what is left until nothing is, or something has failed. */
  const work = async (queue: LinkedMedia[], abort: AbortController, signal: AbortSignal): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        await fetchOne(next, signal)
      } catch (error) {
        abort.abort(error)
        throw error
      }
    }
  }

  return async (linked) => {
    const queue = linked.filter(({ url }) => !fetched.has(url))
    const [tooMany] = queue.slice(MAX_URLS)
    if (tooMany)
      throw invalid(
        tooMany.path,
        `A request may have ${MAX_URLS} media by URL that must be fetched; ${queue.length} were found.`,
      )
    if (context.stopped) throw context.stopped
    const abort = new AbortController()
    const signal = AbortSignal.any([signalOf(context), abort.signal])
    await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, () => work(queue, abort, signal)))
    return fetched
  }
}
