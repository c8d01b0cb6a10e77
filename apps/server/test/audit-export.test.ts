import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createServer, type Server } from 'node:tls'
import { type Accounts, type AuditEntry, FIRST_ORGANIZATION, openAccountsHere } from '@headgate/accounts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { accountsSettings, OPERATOR } from '../src/management/people.ts'
import { type AuditDestination, startAuditExport } from '../src/telemetry/audit/export.ts'
import { octetCounted, sendSyslog, syslogMessage } from '../src/telemetry/audit/syslog.ts'
import { createAuthority, hasOpenssl } from './certificate-authority.ts'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
/** More than a batch. */
const COUNT = 450

/** Accounts of a folder with a number of audit entries. */
async function withEntries(folder: string, count = COUNT): Promise<Accounts> {
  const settings = accountsSettings({ config: {}, dataDir: join(folder, '.headgate') }, SECRET, [])
  const accounts = await openAccountsHere(settings)
  onTestFinished(() => accounts.close())
  await addEntries(accounts, count)
  return accounts
}

async function addEntries(accounts: Accounts, count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await accounts.recordAct(OPERATOR, { action: 'test.act', target: `größe ${at}`, organization: FIRST_ORGANIZATION })
}

/** Messages that a syslog server got, by their octet counts. */
function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, space))
    expect(length).toBeGreaterThan(0)
    messages.push(bytes.toString('utf8', space + 1, space + 1 + length))
    at = space + 1 + length
  }
  return messages
}

interface SyslogReceiver {
  readonly port: number
  readonly ca: string
  readonly messages: () => string[]
  readonly server: Server
}

/** Syslog server with TLS. Connections end only after `accepts` has returned true. */
async function startSyslog(folder: string, accepts: () => boolean = () => true): Promise<SyslogReceiver> {
  const authority = createAuthority(join(folder, 'ca'))
  const { certificate, key } = authority.issue('logs')
  const received: Buffer[] = []
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (socket) => {
    const chunks: Buffer[] = []
    socket.on('error', () => {})
    if (!accepts()) return void socket.destroy()
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => received.push(Buffer.concat(chunks)))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const messages = () => received.flatMap(messagesIn)
  return { port, ca: authority.certificate, messages, server }
}

const PATTERN =
  /^<108>1|^<110>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S+) headgate - ([\x21-\x7e]{1,32}) - (\{.*\})$/

function entriesIn(messages: readonly string[]): AuditEntry[] {
  return messages.map((message) => {
    const [, , , , json] = PATTERN.exec(message) ?? []
    if (json === undefined) throw new Error(`not a message: ${message}`)
    return JSON.parse(json)
  })
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

describe('The export of the audit log', () => {
  it.runIf(hasOpenssl)('sends each entry in order to a webhook, to syslog over TLS and to OpenTelemetry', async () => {
    const folder = temporaryFolder()
    await withEntries(folder)
    const [webhook, otlp] = [await startReceiver(), await startReceiver()]
    const syslog = await startSyslog(folder)
    const config = {
      providers: { demo: {} },
      audit: {
        export: {
          hook: { type: 'webhook', url: webhook.url, secret: SECRET, private: true },
          siem: { type: 'syslog', host: 'localhost', port: syslog.port, ca: syslog.ca },
          collector: { type: 'otlp', url: otlp.url },
        },
      },
    }
    const file = join(temporaryFolder({ 'headgate.config.json': config }), 'headgate.config.json')
    const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_COMPRESSION: 'none' }
    const logs = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: otlp.url, OTEL_TRACES_EXPORTER: 'none' }
    await startInProcess({ folder, environment: { ...environment, ...logs }, args: ['--config', file] })

    const posted = (): AuditEntry[] =>
      webhook.called.flatMap(({ body }) =>
        body
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
    await vi.waitUntil(() => posted().length >= COUNT, { timeout: 30_000 })
    const own = posted().filter(({ organization }) => organization === FIRST_ORGANIZATION)
    expect(own.slice(0, COUNT).map(({ number }) => number)).toEqual(numbers(COUNT))
    for (const [at, entry] of own.entries()) if (at > 0) expect(entry.previousHash).toBe(own[at - 1]?.hash)
    for (const { headers, body } of webhook.called) {
      const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
      const signature = createHmac('sha256', key).update(signed).digest('base64')
      expect(headers.get('webhook-signature')).toBe(`v1,${signature}`)
      expect(headers.get('content-type')).toBe('application/x-ndjson')
    }

    await vi.waitUntil(() => syslog.messages().length >= COUNT, { timeout: 30_000 })
    expect(entriesIn(syslog.messages()).slice(0, COUNT)).toEqual(own.slice(0, COUNT))

    const records = () =>
      otlp.called.flatMap(({ body }) => JSON.parse(body).resourceLogs?.[0].scopeLogs[0].logRecords ?? [])
    await vi.waitUntil(() => records().length >= COUNT, { timeout: 30_000 })
    expect(records()[0]).toMatchObject({
      eventName: 'headgate.audit',
      severityNumber: 9,
      body: { stringValue: 'test.act' },
    })
    expect(records()[0].attributes).toContainEqual({ key: 'headgate.audit.number', value: { intValue: '1' } })
  })

  /** An export that waits for nothing, and what it has delivered. */
  function exported(accounts: Accounts, holder: string, deliver: AuditDestination['deliver'], heldForMs?: number) {
    const problems: string[] = []
    const running = startAuditExport({
      source: accounts,
      destinations: [{ name: 'siem', deliver }],
      holder,
      onProblem: (problem) => problems.push(problem),
      wait: () => new Promise((resolve) => setImmediate(resolve)),
      heldForMs,
    })
    onTestFinished(() => running.end())
    return { ...running, problems }
  }

  it.runIf(hasOpenssl)('continues when its server is back, and reports both once', async () => {
    const folder = temporaryFolder()
    const accounts = await withEntries(folder, 5)
    let connections = 0
    const { port, ca, messages } = await startSyslog(folder, () => ++connections > 3)
    const server = { host: 'localhost', port, ca: readFileSync(ca) }
    const { problems, end } = exported(accounts, 'one', (entries, signal) =>
      sendSyslog(
        server,
        entries.map((entry) => syslogMessage(entry)),
        signal,
      ),
    )
    await vi.waitUntil(() => problems.length === 2, { timeout: 10_000 })
    await end()
    expect(problems).toEqual([expect.stringContaining('cannot be sent to siem'), expect.stringContaining('again')])
    expect(entriesIn(messages()).map(({ number }) => number)).toEqual(numbers(5))
  })

  it('is continued by another process after one was killed during a delivery, without a gap', async () => {
    const accounts = await withEntries(temporaryFolder(), COUNT)
    const received: number[] = []
    const take = async (entries: readonly AuditEntry[]): Promise<void> => {
      received.push(...entries.map(({ number }) => number))
    }
    // It has delivered the second batch when it is killed: it never stores its position, nor ends its claim.
    let batches = 0
    let killed = (): void => {}
    const isKilled = new Promise<void>((resolve) => {
      killed = resolve
    })
    const silent: Accounts = {
      ...accounts,
      advanceAuditExport: async (...args) => {
        batches += 1
        if (batches < 2) return accounts.advanceAuditExport(...args)
        killed()
        return new Promise(() => {})
      },
    }
    startAuditExport({
      source: silent,
      destinations: [{ name: 'siem', deliver: take }],
      holder: 'killed',
      onProblem: () => {},
      heldForMs: 200,
    })
    await isKilled
    exported(accounts, 'next', take, 60_000)
    await vi.waitUntil(() => received.at(-1) === COUNT, { timeout: 10_000 })
    // The second batch arrived twice, in order.
    expect(received).toEqual([...numbers(400), ...numbers(COUNT).slice(200)])
  })
})

describe('headgate audit verify', () => {
  it('finds one removed entry', async () => {
    const folder = temporaryFolder()
    await withEntries(folder, 20)
    const intact = await command(['audit', 'verify'], { folder })
    expect([intact.code, intact.stderr]).toEqual([0, ''])
    expect(intact.stdout).toMatch(/org_default +20 +20 +intact/)
    const db = new DatabaseSync(join(folder, '.headgate', 'headgate.db'))
    db.exec('DELETE FROM audit WHERE number = 7')
    db.close()
    const damaged = await command(['audit', 'verify'], { folder })
    expect(damaged.code).toBe(1)
    expect(damaged.stderr).toContain('The audit log is damaged: entry 7 is missing.')
  })
})

it('Messages of syslog count bytes', () => {
  expect(octetCounted(['größe', 'a'])).toBe('7 größe1 a')
})
