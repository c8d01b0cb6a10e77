import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createInbox, type Inbox } from '../../../core/test/support/inbox.ts'
import {
  type AccessRecord,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Principal,
  type ProviderInstance,
  type UsageRow,
} from '../../src/index.ts'

export const KEY = 'sk-caller-0123456789'

/** The two sinks of a gateway, which must not differ. */
export const SINKS = ['node', 'fetch'] as const
export type SinkName = (typeof SINKS)[number]

export interface RunningGateway {
  readonly gateway: Gateway
  /** Of the Node server. */
  readonly port: number
  readonly rows: UsageRow[]
  readonly access: Inbox<AccessRecord>
  readonly warnings: string[]
  /** Resolves when the sink has seen that a caller has left; once for each. */
  left(): Promise<unknown>
  /** Calls the gateway with the right key, unless the headers have another. */
  call(path: string, init?: RequestInit): Promise<Response>
  /** POSTs a body; what is no text or bytes is sent as JSON. */
  post(path: string, body: unknown, init?: Omit<RequestInit, 'body'>): Promise<Response>
}

const principals: Readonly<Record<string, Principal>> = {
  [KEY]: { id: 'key-1', name: 'test' },
  'sk-limited': { id: 'key-2', models: ['small', 'open-*'] },
}

/** Serves a gateway on the loopback, by one of its sinks. Closed with the test. */
export async function startGateway(
  sink: SinkName,
  options: Partial<GatewayOptions> & Pick<GatewayOptions, 'providers'>,
): Promise<RunningGateway> {
  const rows: UsageRow[] = []
  const warnings: string[] = []
  const access = createInbox<AccessRecord>()
  const { times, ...rest } = options
  const gateway = createGateway({
    authenticate: (credential) => principals[credential],
    ledger: { settle: (row) => void rows.push(row) },
    onAccess: (record) => access.push(record),
    onWarning: (message) => void warnings.push(message),
    times: { backoff: 1, ...times },
    ...rest,
  })
  const departures = createInbox<undefined>()
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) departures.push(undefined)
    })
    gateway.node(request, response)
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    gateway.node(request, response, true),
  )
  server.on('checkExpectation', gateway.node)
  server.on('clientError', gateway.clientError)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    gateway.abort()
    server.close()
    server.closeAllConnections()
    await gateway.close()
  })
  const { port } = server.address() as AddressInfo
  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (!['authorization', 'x-api-key', 'x-goog-api-key', 'x-no-key'].some((name) => headers.has(name)))
      headers.set('authorization', `Bearer ${KEY}`)
    headers.delete('x-no-key')
    const whole = { ...init, headers, ...(init.body instanceof ReadableStream && { duplex: 'half' as const }) }
    if (sink === 'node') return fetch(`http://127.0.0.1:${port}${path}`, whole)
    return gateway.fetch(new Request(`http://gateway.test${path}`, whole))
  }
  return {
    gateway,
    port,
    rows,
    access,
    warnings,
    left: async () => sink === 'fetch' || departures.next(),
    call,
    post(path, body, init = {}) {
      const isReady = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
      const headers = new Headers(init.headers)
      if (!headers.has('content-type')) headers.set('content-type', 'application/json')
      return call(path, {
        method: 'POST',
        ...init,
        headers,
        body: isReady ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body),
      })
    },
  }
}

export const SECRET = 'upstream-secret-0123456789'

/** A provider that speaks chat completions at a base URL. */
export function chatProvider(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return {
    name: 'alpha',
    claims: [],
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Bearer ${SECRET}` },
    chat: [{ format: 'chat-completions', path: () => '/chat/completions' }],
    known: [{ id: 'small' }],
    ...changes,
  }
}

/** A provider that speaks messages at a base URL. */
export function messagesProvider(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return chatProvider(baseUrl, {
    credential: { kind: 'header', name: 'x-api-key', value: SECRET },
    chat: [{ format: 'messages', path: () => '/messages', forward: ['anthropic-version'], signer: 'claude' }],
    ...changes,
  })
}
