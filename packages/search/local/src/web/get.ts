import { type Refusal, refusalOf } from '../document.ts'

/** Timeout of a response in milliseconds. */
const PATIENCE = 20_000
const MOST_REDIRECTS = 5

export interface FetchedPage {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface GetOptions {
  /** Maximum size of a body in bytes. */
  readonly most: number
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/**
 * Fetches a URL. Redirects are followed within its origin.
 *
 * @throws only when the signal aborts
 */
export async function get(url: string, { most, headers, signal }: GetOptions): Promise<FetchedPage | Refusal> {
  const { origin } = new URL(url)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)])
  try {
    for (let at = url, redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      // biome-ignore lint/style/noRestrictedGlobals: what has no upstream but its own documents fetches them itself.
      const answer = await fetch(at, {
        headers: { 'user-agent': 'headgate', ...headers },
        redirect: 'manual',
        signal: patience,
      })
      const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null
      if (location === null) return await whole(answer, at, most)
      await answer.body?.cancel()
      const next = URL.parse(location, at)
      if (next?.origin !== origin) return { reason: 'redirects to another site' }
      at = next.href
    }
    return { reason: `redirects more than ${MOST_REDIRECTS} times` }
  } catch (error) {
    signal.throwIfAborted()
    return { reason: patience.aborted ? `takes more than ${PATIENCE / 1_000} s to respond` : unreached(error) }
  }
}

async function whole(answer: Response, url: string, most: number): Promise<FetchedPage | Refusal> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > most) return { reason: `huge: more than ${most} bytes` }
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return { status: answer.status, url, headers: answer.headers, bytes }
}

function unreached(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return `does not respond: ${refusalOf(cause).reason}`
}
