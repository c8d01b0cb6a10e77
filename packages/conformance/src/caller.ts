import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { parse } from './json.ts'

/** Key of the kit gateway's callers. It must never reach an upstream. */
export const CALLER_KEY = 'caller-key-7c1f0a94'

/** Response as a caller received it. */
export interface CallerResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Raw body. */
  readonly bytes: Buffer
  /** Parsed JSON, or the raw string. */
  readonly body: unknown
  /** The connection broke before the response was complete. */
  readonly broken: boolean
}

export interface Question {
  readonly path: string
  /** Default: `POST` with a body, `GET` without. */
  readonly method?: 'DELETE'
  readonly body?: object
  /** Body that is not JSON, in place of `body`. */
  readonly form?: { readonly bytes: Uint8Array; readonly type: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Called with each chunk of the response; returning true disconnects immediately. */
  readonly leave?: (piece: string) => boolean
  /** Disconnects the caller when it aborts. */
  readonly signal?: AbortSignal
}

/**
 * Sends a request to the gateway as a plain HTTP client, over the agent's connections or a separate one. Never rejects.
 */
export function ask(
  url: string,
  { path, method, body, form, headers, leave, signal }: Question,
  agent: Agent | false = false,
): Promise<CallerResponse> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(`${url}${path}`, {
      method: method ?? (body || form ? 'POST' : 'GET'),
      agent,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${CALLER_KEY}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(form && { 'content-type': form.type }),
        // Headers that belong to the caller and its network.
        cookie: 'session=of-the-caller',
        'x-forwarded-for': '203.0.113.7',
        ...headers,
      },
    })
    const fail = () => resolve({ status: 0, headers: {}, text: '', bytes: Buffer.alloc(0), body: '', broken: true })
    outgoing.on('error', fail)
    outgoing.on('response', (incoming) => {
      outgoing.off('error', fail)
      outgoing.on('error', () => {})
      void read(incoming, leave).then(resolve)
    })
    outgoing.end(form?.bytes ?? (body && JSON.stringify(body)))
  })
}

function read(incoming: IncomingMessage, leave: Question['leave']): Promise<CallerResponse> {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (leave?.(String(chunk))) incoming.destroy()
  })
  // The bytes received so far are the response; `complete` tells if it is whole.
  incoming.on('error', () => {})
  return new Promise((resolve) => {
    incoming.on('close', () => {
      const bytes = Buffer.concat(chunks)
      const text = bytes.toString('utf8')
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
      resolve({ status: incoming.statusCode ?? 0, headers, text, bytes, body: parse(text), broken: !incoming.complete })
    })
  })
}
