import type { HeadgateError } from '@headgate/core/errors'

export type ResponseHeaders = Record<string, string | string[]>

/** Destination of a response, with implementations for Node and for fetch. */
export interface Sink {
  head(status: number, headers: ResponseHeaders): void
  /** False: the writer must wait for `onDrain`. */
  write(chunk: Uint8Array | string): boolean
  /** Calls back once when more can be written. */
  onDrain(callback: () => void): void
  end(chunk?: Uint8Array | string): void
  /** Bytes that were written and are still in this process. */
  unsent(): number
  /**
   * Calls back once when the caller has received everything or has left. Use it only while {@link unsent} is above 0.
   */
  onSettled(callback: () => void): void
  /** Aborts the response. The caller's client sees a broken connection. */
  destroy(): void
  /**
   * Calls back once if the caller disconnects before the response has ended. `why` is set if it was disconnected
   * because it did not read.
   */
  onClose(callback: (why?: HeadgateError) => void): void
}

/** Incoming request. */
export interface Incoming {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** IP address of the caller; undefined if there is no socket. */
  readonly address: string | undefined
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * Reads the whole body, without decompression. `took` receives the size of each chunk. A large body resolves in its
   * turn. Rejects with HeadgateError `too-large` above `limit` bytes, `too-slow` after a timeout, and with any error of
   * `took`.
   */
  read(limit: number, took?: (bytes: number) => void): Promise<Buffer>
  /**
   * Reads the whole body in chunks, without decompression. The next chunk comes after the promise of `onChunk`. Rejects
   * as {@link read} does, and with any error of `onChunk`.
   */
  stream(limit: number, onChunk: (chunk: Buffer) => Promise<void> | undefined): Promise<void>
}

/** First value of a header, trimmed; undefined if absent or empty. */
export function headerOf(incoming: Pick<Incoming, 'headers'>, name: string): string | undefined {
  const value = incoming.headers[name]
  const first = Array.isArray(value) ? value[0] : value
  return first?.trim() || undefined
}
