/**
 * What an upstream does on its connection, one after the other. After the last step the connection waits for the next
 * request.
 */
export type Step =
  | { readonly send: string | Uint8Array }
  /** Waits so many milliseconds. */
  | { readonly pause: number }
  /** Does nothing more, until the other side gives up. */
  | 'stall'
  /** Ends the connection, mannerly. */
  | 'close'
  /** Ends it with a reset. */
  | 'reset'

export type Headers = readonly (readonly [name: string, value: string])[]

export function head(status: number, headers: Headers, version = '1.1'): Step {
  return {
    send: `HTTP/${version} ${status} X\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  }
}

export function chunk(bytes: string | Uint8Array): Step {
  const body = Buffer.from(bytes)
  return { send: Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]) }
}

export const LAST_CHUNK: Step = { send: '0\r\n\r\n' }

export const JSON_TYPE = ['content-type', 'application/json'] as const
export const STREAM_TYPE = ['content-type', 'text/event-stream'] as const
export const CHUNKED = ['transfer-encoding', 'chunked'] as const

/** A whole answer with its length. What is no text is written as JSON. */
export function answer(status: number, body: unknown, headers: Headers = [JSON_TYPE]): Step[] {
  const bytes = Buffer.from(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  return [
    head(status, [...headers, ['content-length', String(bytes.length)]]),
    ...(bytes.length > 0 ? [{ send: bytes }] : []),
  ]
}

/** A chunked answer, piece by piece, with its end. */
export function chunked(
  pieces: readonly (string | Uint8Array)[],
  headers: Headers = [STREAM_TYPE],
  status = 200,
): Step[] {
  return [...chunkedOpen(pieces, headers, status), LAST_CHUNK]
}

/** A chunked answer that does not end. */
export function chunkedOpen(
  pieces: readonly (string | Uint8Array)[],
  headers: Headers = [STREAM_TYPE],
  status = 200,
): Step[] {
  return [head(status, [...headers, CHUNKED]), ...pieces.filter((piece) => piece.length > 0).map(chunk)]
}
