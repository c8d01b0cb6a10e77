import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { AuditEntry } from '@headgate/accounts'
import { createGuard, postWebhook } from '@headgate/gateway/operate'
import { HeadgateError } from '@headgate/gateway/ports'
import {
  type Attribute,
  createOtlpSender,
  type LogExportSettings,
  type LogRecord,
  logsToJson,
  logsToProtobuf,
} from '@headgate/telemetry'
import type { AuditDestinationConfig } from '../../config/audit.ts'
import type { Settings } from '../../config/settings.ts'
import { version } from '../../program.ts'
import type { AuditDestination } from './export.ts'
import { sendSyslog, syslogMessage } from './syslog.ts'

/** Time of one delivery of a webhook in milliseconds. */
const TIME = 15_000
const SYSLOG_PORT = 6_514
const SCHEMA = 'https://opentelemetry.io/schemas/1.41.0'

/** Configured destinations. @throws HeadgateError for a destination that cannot be used */
export function auditDestinations(
  settings: Pick<Settings, 'config' | 'file' | 'logExport'>,
): readonly AuditDestination[] {
  return Object.entries(settings.config.audit?.export ?? {}).map(([name, config]) =>
    destinationOf(name, config, settings),
  )
}

function destinationOf(
  name: string,
  config: AuditDestinationConfig,
  settings: Pick<Settings, 'file' | 'logExport'>,
): AuditDestination {
  if (config.type === 'webhook') return webhookDestination(name, config)
  if (config.type === 'syslog') return syslogDestination(name, config, settings)
  return otlpDestination(name, config, settings)
}

type ConfigOf<Type> = Extract<AuditDestinationConfig, { type: Type }>

function webhookDestination(name: string, { url, secret, private: isPrivate }: ConfigOf<'webhook'>): AuditDestination {
  const guard = createGuard({ allowPrivate: isPrivate ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [] })
  return {
    name,
    deliver: (entries, signal) => {
      const body = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
      const id = `audit_${entries[0]?.id}_${entries.at(-1)?.id}`
      return postWebhook(guard, { id, url, body, secret, time: TIME, type: 'application/x-ndjson' }, signal)
    },
  }
}

function syslogDestination(
  name: string,
  { host, port = SYSLOG_PORT, ca, certificate, key }: ConfigOf<'syslog'>,
  { file }: Pick<Settings, 'file'>,
): AuditDestination {
  const read = (path: string | undefined): Buffer | undefined =>
    path === undefined ? undefined : readPem(file === undefined ? resolve(path) : resolve(dirname(file), path), name)
  const server = { host, port, ca: read(ca), certificate: read(certificate), key: read(key) }
  return {
    name,
    deliver: (entries, signal) =>
      sendSyslog(
        server,
        entries.map((entry) => syslogMessage(entry)),
        signal,
      ),
  }
}

function readPem(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw new HeadgateError('invalid-request', `\`audit.export.${name}\`: the file ${path} cannot be read.`)
  }
}

function otlpDestination(
  name: string,
  { url, headers }: ConfigOf<'otlp'>,
  { logExport }: Pick<Settings, 'logExport'>,
): AuditDestination {
  const settings = logSettings(name, logExport, url, headers)
  const { destination, resource } = settings
  // One attempt only: the export waits before it repeats the batch.
  const wait = () => Promise.reject(new Error('no repetition'))
  let reason = ''
  const onProblem = (message: string): void => {
    reason = /: (.*)\. Requests/.exec(message)?.[1] ?? ''
  }
  const sender = createOtlpSender({ destination, items: 'Audit entries', onProblem, wait })
  return {
    name,
    async deliver(entries) {
      const batch = { resource, version, schemaUrl: SCHEMA, observedAt: Date.now(), records: entries.map(auditRecord) }
      const body = destination.encoding === 'json' ? Buffer.from(logsToJson(batch)) : logsToProtobuf(batch)
      const rejected = await sender.send(body, entries.length)
      // A receiver that rejects single records would reject them again.
      if (rejected === entries.length) throw new HeadgateError('upstream', reason || 'it accepted no entry')
    },
    close: () => sender.close(async () => {}),
  }
}

function logSettings(
  name: string,
  known: LogExportSettings | undefined,
  url: string | undefined,
  headers: Readonly<Record<string, string>> | undefined,
): LogExportSettings {
  if (known)
    return {
      ...known,
      destination: {
        ...known.destination,
        url: url ?? known.destination.url,
        headers: headers ?? known.destination.headers,
      },
    }
  if (url === undefined)
    throw new HeadgateError(
      'invalid-request',
      `\`audit.export.${name}\` has no receiver. Set its \`url\`, \`telemetry.endpoint\` or OTEL_EXPORTER_OTLP_ENDPOINT.`,
    )
  const destination = {
    url,
    headers: headers ?? {},
    encoding: 'protobuf',
    isCompressed: true,
    timeoutMs: 10_000,
  } as const
  return { destination, resource: [['service.name', 'headgate']], isAccess: false }
}

/** Log record of an entry. */
export function auditRecord(entry: AuditEntry): LogRecord {
  const { id, at, actor, action, result, number, previousHash, hash, organization, target, session } = entry
  const facts: readonly (readonly [string, Attribute[1] | undefined])[] = [
    ['headgate.audit.id', id],
    ['headgate.audit.number', number],
    ['headgate.audit.previous_hash', previousHash],
    ['headgate.audit.hash', hash],
    ['headgate.audit.action', action],
    ['headgate.audit.result', result],
    ['headgate.audit.target', target],
    ['headgate.audit.actor.kind', actor.kind],
    ['headgate.audit.actor.id', actor.id],
    ['headgate.audit.before', entry.before && JSON.stringify(entry.before)],
    ['headgate.audit.after', entry.after && JSON.stringify(entry.after)],
    ['headgate.organization', organization],
    ['headgate.request_id', entry.requestId],
    ['session.id', session],
    ['client.address', entry.address],
    ['user_agent.original', entry.agent],
  ]
  return {
    at,
    severity: result === 'refused' ? 'warn' : 'info',
    eventName: 'headgate.audit',
    body: action,
    attributes: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  }
}
