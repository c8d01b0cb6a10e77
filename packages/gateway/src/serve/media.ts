import type { FetchedMedia, LinkedMedia } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import { signalOf } from '../edge/stop.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Concurrent downloads of one request. */
const MAX_CONCURRENT = 4
/** Maximum number of URLs of one request. */
const MAX_URLS = 100

/** Fetched media of one request, by URL. */
export type Media = ReadonlyMap<string, FetchedMedia>

/** Fetches the media that a candidate needs. Each URL is fetched once per request. */
export type Fetcher = (linked: readonly LinkedMedia[]) => Promise<Media>

/**
 * Creates a fetcher. It rejects with HeadgateError that names the field. The total size of media by URL is limited like
 * the size of a body.
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
        `The media of this request are larger than ${core.limits.body} bytes. Send fewer or smaller ones.`,
      )
    fetched.set(linked.url, { data: bytes.toString('base64'), mime })
  }

  /** Fetches from the queue until it is empty or a download has failed. */
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
        `A request can have at most ${MAX_URLS} media URLs that must be fetched; this one has ${queue.length}. Send fewer URLs, or send media as base64.`,
      )
    if (context.stopped) throw context.stopped
    const abort = new AbortController()
    const signal = AbortSignal.any([signalOf(context), abort.signal])
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, queue.length) }, () => work(queue, abort, signal)))
    return fetched
  }
}
