import type { HeadgateError } from '@headgate/core/errors'

/** Headers of an answer. */
export type AnswerHeaders = Record<string, string | string[]>

/** Where an answer goes: written once against this, for Node responses and for fetch. */
export interface Sink {
  head(status: number, headers: AnswerHeaders): void
  /** False asks to wait for `onDrain` before more is written. */
  write(chunk: Uint8Array | string): boolean
  /** Calls back once when there is room again. */
  onDrain(callback: () => void): void
  end(chunk?: Uint8Array | string): void
  /** Bytes that were written and that the caller has not received yet, as far as they are in this process. */
  unsent(): number
  /** Calls back once when the caller has received everything, or has left. Only while {@link unsent} is above 0. */
  onSettled(callback: () => void): void
  /** Ends the answer as a failure that the caller's client sees as a broken connection. */
  destroy(): void
  /**
   * Calls back once if the caller leaves before the answer has ended, or is left because it does not read: then with
   * why.
   */
  onClose(callback: (why?: HeadgateError) => void): void
}

/** What a caller sent, before it is looked at. */
export interface Incoming {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** The IP address at the other end of its socket; undefined where there is none. */
  readonly address: string | undefined
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * The whole body as it came over the wire. Rejects with HeadgateError `too-large` beyond `limit` bytes, `too-slow`
   * beyond its time, and with what `took` throws, which is told the size of every piece. A large body resolves in its
   * turn.
   */
  read(limit: number, took?: (bytes: number) => void): Promise<Buffer>
}

/** The first value of a header, trimmed; undefined when absent or empty. */
export function headerOf(incoming: Pick<Incoming, 'headers'>, name: string): string | undefined {
  const value = incoming.headers[name]
  const first = Array.isArray(value) ? value[0] : value
  return first?.trim() || undefined
}
