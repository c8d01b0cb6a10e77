import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from './json.ts'

/** Response of the upstream to one request. */
export type UpstreamReply =
  /** Whole response; an object is sent as JSON. With `cut`, the connection breaks before the last byte. */
  | {
      readonly kind: 'whole'
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: string | object
      readonly cut?: boolean
    }
  /** Stream with one network chunk per piece. Afterwards it ends, breaks, or stays open without data. */
  | {
      readonly kind: 'stream'
      readonly pieces: readonly Uint8Array[]
      readonly headers?: Readonly<Record<string, string>>
      readonly end?: 'close' | 'cut' | 'silence'
    }
  /** Accepts the request and never responds. */
  | { readonly kind: 'silence' }
  /** Closes the connection without a byte. */
  | { readonly kind: 'reset' }

/** Part of a received form. */
export interface ReceivedPart {
  readonly name: string
  /** Name and type of a file. */
  readonly filename?: string
  readonly type?: string
  readonly bytes: Uint8Array
}

/** Received request. */
export interface Received {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Headers with lowercase names. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Parsed JSON; fields of a form by name, with repeated names as a list and files as `data:` URLs; or the raw string.
   */
  readonly body: unknown
  /** Raw body. */
  readonly raw: string
  readonly bytes: Uint8Array
  /** Parts of a form in their order; empty for other bodies. */
  readonly parts: readonly ReceivedPart[]
  /** Resolves when the connection has ended: the response was sent whole, or not. */
  readonly closed: Promise<'whole' | 'broken'>
}

/** Loopback server that simulates a vendor: it sends the configured responses and records requests. */
export interface LoopbackUpstream {
  /** Scheme, host and port. */
  readonly origin: string
  /** Requests since the last call of `answer`, oldest first. */
  readonly received: readonly Received[]
  /** Sets the response to all further requests. */
  answer(reply: UpstreamReply | ((request: Received) => UpstreamReply)): void
  /** Resolves with the next request. */
  arrival(): Promise<Received>
  /** Open connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

export async function startUpstream(): Promise<LoopbackUpstream> {
  let reply: UpstreamReply | ((request: Received) => UpstreamReply) = {
    kind: 'whole',
    status: 404,
    body: { error: { message: 'No response is configured.' } },
  }
  let received: Received[] = []
  let waiting: ((request: Received) => void)[] = []

  const server = createServer((incoming, outgoing) => {
    void receive(incoming, outgoing).then((request) => {
      if (!request) return
      received.push(request)
      const waited = waiting
      waiting = []
      for (const resolve of waited) resolve(request)
      return send(outgoing, typeof reply === 'function' ? reply(request) : reply)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    origin: `http://127.0.0.1:${port}`,
    get received() {
      return received
    },
    answer(given) {
      reply = given
      received = []
    },
    arrival: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
      }),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Undefined if the request was interrupted. */
async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Received | undefined> {
  const closed = new Promise<'whole' | 'broken'>((resolve) => {
    outgoing.once('close', () => resolve(outgoing.writableFinished ? 'whole' : 'broken'))
  })
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://upstream')
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
  const bytes = Buffer.concat(chunks)
  const raw = bytes.toString('utf8')
  const form = headers['content-type']?.startsWith('multipart/form-data') ? await formOf(bytes, headers) : undefined
  const body = form ? await fieldsOf(form) : parse(raw)
  const parts = form ? await partsOf(form) : []
  return {
    method: incoming.method ?? '',
    path: pathname,
    query: searchParams,
    headers,
    body,
    raw,
    bytes,
    parts,
    closed,
  }
}

/** Undefined for a form that cannot be read. */
function formOf(bytes: Buffer, headers: Readonly<Record<string, string>>): Promise<FormData | undefined> {
  return new Response(bytes, { headers: { 'content-type': headers['content-type'] ?? '' } })
    .formData()
    .catch(() => undefined)
}

async function fieldsOf(form: FormData): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(
      form.getAll(name).map(async (value) => (typeof value === 'string' ? value : dataUrl(value))),
    )
    fields[name] = values.length === 1 ? values[0] : values
  }
  return fields
}

function partsOf(form: FormData): Promise<readonly ReceivedPart[]> {
  return Promise.all(
    [...form].map(async ([name, value]): Promise<ReceivedPart> => {
      if (typeof value === 'string') return { name, bytes: Buffer.from(value) }
      return { name, filename: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) }
    }),
  )
}

async function dataUrl(file: Blob): Promise<string> {
  return `data:${file.type};base64,${Buffer.from(await file.arrayBuffer()).toString('base64')}`
}

async function send(outgoing: ServerResponse, reply: UpstreamReply): Promise<void> {
  switch (reply.kind) {
    case 'silence':
      return
    case 'reset':
      outgoing.destroy()
      return
    case 'whole':
      sendWhole(outgoing, reply)
      return
    case 'stream':
      await sendStream(outgoing, reply)
  }
}

function sendWhole(outgoing: ServerResponse, reply: Extract<UpstreamReply, { kind: 'whole' }>): void {
  const bytes = Buffer.from(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  const type = typeof reply.body === 'string' ? 'text/plain' : 'application/json'
  outgoing.writeHead(reply.status ?? 200, { 'content-type': type, 'content-length': bytes.length, ...reply.headers })
  if (!reply.cut) outgoing.end(bytes)
  else outgoing.write(bytes.subarray(0, -1), () => outgoing.destroy())
}

async function sendStream(outgoing: ServerResponse, reply: Extract<UpstreamReply, { kind: 'stream' }>): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...reply.headers })
  for (const piece of reply.pieces) {
    if (outgoing.destroyed) return
    outgoing.write(piece)
    // A turn of the event loop: data written together is received together.
    await nextTurn()
  }
  if (reply.end === 'cut') outgoing.destroy()
  else if (reply.end !== 'silence') outgoing.end()
}
