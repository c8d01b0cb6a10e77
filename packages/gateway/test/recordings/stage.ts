import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { ChatSupport } from '../../../core/src/provider.ts'
import { serveFile } from '../../../core/test/recordings/files.ts'
import { FORMATS, type FormatId } from '../../../core/test/recordings/recordings.ts'
import { createGateway, type ProviderInstance, type UsageRow } from '../../src/index.ts'
import { runBare } from './bare.ts'
import type { Outcome, Run, Served } from './run.ts'

export interface Stage {
  /** Where the files of `files.ts` are served. */
  readonly origin: string
  run(run: Run): Promise<Outcome>
}

const KEY = 'sk-caller-0123456789'
/** By this header the upstream knows what to answer. */
const TICKET = 'x-ticket'

const PATHS: Readonly<Record<FormatId, ChatSupport['path']>> = {
  'chat-completions': () => '/chat/completions',
  messages: () => '/messages',
  'generate-content': ({ model, stream }) =>
    `/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  responses: () => '/responses',
}
const SIGNERS: Readonly<Record<FormatId, string | undefined>> = {
  'chat-completions': undefined,
  messages: 'claude',
  'generate-content': 'gemini',
  responses: 'gpt',
}

function providerFor(format: FormatId, baseUrl: string): ProviderInstance {
  const signer = SIGNERS[format]
  const support: ChatSupport = {
    format,
    path: PATHS[format],
    forward: [TICKET],
    ...(signer !== undefined && { signer }),
  }
  return { name: format, claims: [], baseUrl, credential: { kind: 'none' }, chat: [support] }
}

/** Where a caller of a format sends its request. */
function pathOf({ from, model, stream }: Run): string {
  if (from === 'chat-completions') return '/v1/chat/completions'
  if (from === 'messages') return '/v1/messages'
  return `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** The stage of the tests that follow, open while they run. */
export function useStage(): Stage {
  let stage: (Stage & { close(): Promise<void> }) | undefined
  const opened = (): Stage => {
    if (!stage) throw new Error('The stage is not open.')
    return stage
  }
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())
  return {
    get origin() {
      return opened().origin
    },
    run: (run) => opened().run(run),
  }
}

/**
 * A gateway in front of one upstream on the loopback, which is a provider of each format and answers what the run says.
 */
async function openStage(): Promise<Stage & { close(): Promise<void> }> {
  const pending = new Map<string, { served: Served; sent?: string }>()
  const rows = new Map<string, UsageRow>()
  let count = 0
  const upstream = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    if (request.method === 'GET') {
      serveFile(request.url ?? '', response)
      return
    }
    const sent = await bodyOf(request)
    const ticket = pending.get(String(request.headers[TICKET]))
    if (!ticket) {
      response.destroy()
      return
    }
    ticket.sent = sent
    response.writeHead(ticket.served.status, { 'content-type': ticket.served.contentType })
    // Each becomes a chunk of HTTP of its own, which is how the gateway gets them, however the system joins the bytes.
    for (const chunk of ticket.served.chunks) response.write(chunk)
    response.end()
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  const open = () =>
    createGateway({
      providers: FORMATS.map((format) => providerFor(format, `http://127.0.0.1:${port}`)),
      authenticate: (credential) => (credential === KEY ? { id: 'key-1' } : undefined),
      ledger: { settle: (row) => void rows.set(row.requestId, row) },
      times: { backoff: 1 },
      allowPrivateMedia: ['127.0.0.1'],
      // Recordings name what their own accounts have stored.
      responses: { foreignIds: 'allow' },
    })
  const shared = open()
  return {
    origin: `http://127.0.0.1:${port}`,
    async run(run) {
      // The format has no path yet.
      if (run.from === 'responses') return runBare(run, SIGNERS[run.to])
      const id = String(count++)
      const ticket: { served: Served; sent?: string } = { served: run.served }
      pending.set(id, ticket)
      const headers = {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        vendor: run.to,
        [TICKET]: id,
        ...run.headers,
      }
      // A failure may begin a cooldown of the provider, so that it has its own gateway.
      const gateway = isFailure(run.served) ? open() : shared
      const response = await gateway.fetch(
        new Request(`http://gateway.test${pathOf(run)}`, { method: 'POST', headers, body: run.body }),
      )
      const body = await response.text()
      if (gateway !== shared) await gateway.close()
      const requestId = response.headers.get('x-request-id') ?? ''
      const row = rows.get(requestId)
      rows.delete(requestId)
      pending.delete(id)
      return { status: response.status, headers: response.headers, body, row, sent: ticket.sent }
    },
    async close() {
      upstream.close()
      upstream.closeAllConnections()
      await shared.close()
    },
  }
}

/** True for an error, also within a stream. */
function isFailure({ status, chunks }: Served): boolean {
  return status >= 400 || chunks.some((chunk) => Buffer.from(chunk).includes('"error":{'))
}

/** Runs a task for each item, several at once. */
export async function forEach<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const work = async (): Promise<void> => {
    for (const item of rest) await task(item)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}
