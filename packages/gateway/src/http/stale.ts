import type { HttpResponse } from '@headgate/core/contract'
import { readAnswer } from './answer.ts'
import type { UpstreamHandler, UpstreamHeaders } from './upstream.ts'

/** Most bytes of an answer that are looked at to know whether a credential is stale. */
const MAX_BYTES = 65_536

/**
 * A handler before another one that keeps failures back until they are whole: one that says that the credential is
 * stale ends here, and `again` is called; every other goes on as it came. Answers that are no failures pass at once.
 */
export function unlessStale(
  handler: UpstreamHandler,
  isStale: (answer: HttpResponse) => boolean,
  again: () => void,
): UpstreamHandler {
  let held: { status: number; headers: UpstreamHeaders; chunks: Buffer[]; size: number } | undefined
  const release = (): void => {
    if (!held) return
    const { status, headers, chunks } = held
    held = undefined
    handler.head(status, headers)
    for (const chunk of chunks) handler.data(chunk)
  }
  return {
    head(status, headers) {
      if (status < 400) handler.head(status, headers)
      else held = { status, headers, chunks: [], size: 0 }
    },
    data(chunk) {
      if (!held) return handler.data(chunk)
      held.chunks.push(chunk)
      held.size += chunk.length
      if (held.size > MAX_BYTES) release()
    },
    end() {
      if (held && isStale(readAnswer(held.status, held.headers, Buffer.concat(held.chunks)))) return again()
      release()
      handler.end()
    },
    fail(error) {
      release()
      handler.fail(error)
    },
  }
}
