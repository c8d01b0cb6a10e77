import type { AccessRecord } from '@headgate/gateway'
import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/schema.ts'
import { printable } from '../printable.ts'

/** Fields that are removed from every log line. */
const SECRET_FIELDS = [
  'authorization',
  'apiKey',
  'api_key',
  'key',
  'password',
  'secret',
  'token',
  '["x-api-key"]',
  '["x-goog-api-key"]',
  '["api-key"]',
  'cookie',
]

export interface Log {
  readonly logger: Logger
  /** Writes one line per request at level `info`, without bodies, credentials and query. */
  access(record: AccessRecord): void
  /** Writes complete lines of another process of the program without changes. */
  lines(text: string): void
  setLevel(level: LogLevel): void
  /** Writes buffered lines before the process ends. */
  flush(): void
}

export interface LogOptions {
  /** Default: standard output. */
  readonly stream?: DestinationStream
  /** Number of the worker that writes the log, if there are several. */
  readonly worker?: number
}

/** Pino's number for level `info`. */
const INFO = 30
/** Number of buffered characters at which access lines are written. */
const TOGETHER = 65_536
/** Maximum delay of access lines in milliseconds. */
const AT_MOST_LATE = 200

/**
 * Log of JSON lines on standard output.
 *
 * Access lines bypass the logger and are written in batches: all their fields are fixed, and the logger's serializers
 * and redaction cost four times as much per line.
 */
export function createLog(level: LogLevel, { stream, worker }: LogOptions = {}): Log {
  const output = stream ?? destination({ dest: 1, sync: false })
  // JSON escapes C0 control characters. DEL, C1 and bidirectional controls are escaped here.
  const write = (text: string): void => void output.write(isPlain(text) ? text : printable(text))
  const logger = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: [...SECRET_FIELDS, ...SECRET_FIELDS.map(nested)],
    },
    { write },
  )
  let writesAccess = logger.isLevelEnabled('info')
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const taken = (): string => {
    clearTimeout(timer)
    timer = undefined
    const waiting = lines
    lines = ''
    return waiting
  }
  const handOn = (): void => {
    const waiting = taken()
    if (waiting !== '') write(waiting)
  }
  return {
    logger,
    access: (record) => {
      if (!writesAccess) return
      lines += `${JSON.stringify(accessLine(record, worker))}\n`
      if (lines.length > TOGETHER) handOn()
      else timer ??= setTimeout(handOn, AT_MOST_LATE).unref()
    },
    lines: (text) => void output.write(text),
    setLevel: (changed) => {
      logger.level = changed
      writesAccess = logger.isLevelEnabled('info')
    },
    flush: () => {
      if ('flushSync' in output && typeof output.flushSync === 'function') output.flushSync()
      // An asynchronous write could be overtaken by the next line, or lost when the process ends.
      const waiting = taken()
      if (waiting !== '') (stream ?? destination({ dest: 1, sync: true })).write(printable(waiting))
    },
  }
}

/** True for ASCII without DEL. A search for single characters costs fifty times as much. */
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\u007f')
}

function nested(field: string): string {
  return field.startsWith('[') ? `*${field}` : `*.${field}`
}

let textMs = Number.NaN
let text = ''

/** ISO time, cached for requests that end in the same millisecond: formatting costs as much as the rest of the line. */
function timeText(ms: number): string {
  if (ms !== textMs) {
    text = new Date(ms).toISOString()
    textMs = ms
  }
  return text
}

function accessLine(
  { requestId, method, path, status, durationMs, principal, span, usage, error, replayed }: AccessRecord,
  worker: number | undefined,
): Record<string, unknown> {
  return {
    level: INFO,
    time: timeText(Date.now()),
    worker,
    msg: 'request',
    requestId,
    trace_id: span?.traceId,
    span_id: span?.id,
    method,
    path,
    status,
    ms: Math.round(durationMs),
    principal,
    provider: usage?.provider,
    endpoint: usage?.endpoint,
    model: usage?.model,
    providerModel: usage?.providerModel,
    stream: usage?.stream,
    firstByteMs: usage?.firstByteMs === undefined ? undefined : Math.round(usage.firstByteMs),
    inputTokens: usage?.usage?.input,
    outputTokens: usage?.usage?.output,
    units: usage?.usage?.units,
    cost: usage?.cost ?? undefined,
    attempts: usage?.attempts.length,
    replayed,
    failure: error?.kind,
    upstreamStatus: error?.upstreamStatus,
    code: error?.code,
  }
}
