import { type Call, call } from './call.ts'

/** Longest answer that is read, in characters. */
const LONGEST = 32_000_000
/** How much of it is kept as it came. */
const KEPT = 128_000

/** One request that was answered as a whole, as the page has seen it. */
export interface Plain {
  readonly requestId: string
  readonly provider: string
  readonly lost: string
  readonly sent: string
  readonly received: string
  readonly ms: number
  readonly answer: unknown
}

/** Asks, and reads the whole answer. @throws Problem */
export async function askPlain(asked: Call): Promise<Plain> {
  const begun = performance.now()
  const response = await call(asked)
  const text = await response.text()
  if (text.length > LONGEST) throw new Error('The answer is too long to be shown here.')
  const header = (name: string): string => response.headers.get(name) ?? ''
  const query = new URLSearchParams(asked.query).toString()
  return {
    requestId: header('x-request-id'),
    provider: header('headgate-vendor'),
    lost: header('headgate-lost'),
    sent: asked.body ?? `${asked.method} /${asked.path}${query === '' ? '' : `?${query}`}`,
    received: text.slice(0, KEPT),
    ms: performance.now() - begun,
    answer: text === '' ? undefined : JSON.parse(text),
  }
}
