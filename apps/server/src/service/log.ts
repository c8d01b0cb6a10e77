import type { AccessRecord } from '@headgate/gateway'
import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/schema.ts'
import { printable } from '../printable.ts'

/** Fields that never reach a log, wherever a future line might put them. */
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
  /** One line a request, at level `info`: no bodies, no credentials, no query. */
  access(record: AccessRecord): void
  /** Writes whole lines of another process of the program as they are. */
  lines(text: string): void
  setLevel(level: LogLevel): void
  /** Writes what waits; for the end of the process. */
  flush(): void
}

export interface LogOptions {
  /** By default standard output. */
  readonly stream?: DestinationStream
  /** Which of the program's workers writes it, where there are several. */
  readonly worker?: number
}

/** What pino calls `info`. */
const INFO = 30
/** Access lines are handed on when so many characters wait, or after so many milliseconds. */
const TOGETHER = 65_536
const AT_MOST_LATE = 200

/**
 * A log of JSON lines on standard output.
 *
 * Access lines go to the same output past the logger, many at a time: every field of them is named here, and a line
 * through its serializers and its search for secrets costs four times as much as one without.
 */
export function createLog(level: LogLevel, { stream, worker }: LogOptions = {}): Log {
  const output = stream ?? destination({ dest: 1, sync: false })
  // JSON escapes the lower half of what terminals obey; DEL, C1 and what reorders text are left to us.
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
      // A write that is only begun may be overtaken by the next line, or by the end of the process.
      const waiting = taken()
      if (waiting !== '') (stream ?? destination({ dest: 1, sync: true })).write(printable(waiting))
    },
  }
}

/** Whether a text is all ASCII, without DEL: looking for single characters costs fifty times as much. */
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\u007f')
}

function nested(field: string): string {
  return field.startsWith('[') ? `*${field}` : `*.${field}`
}

let textMs = Number.NaN
let text = ''

/** Requests that end together share the text, which costs as much as the rest of their lines. */
function timeText(ms: number): string {
  if (ms !== textMs) {
    text = new Date(ms).toISOString()
    textMs = ms
  }
  return text
}

function accessLine(
  { requestId, method, path, status, durationMs, principal, usage, error }: AccessRecord,
  worker: number | undefined,
): Record<string, unknown> {
  return {
    level: INFO,
    time: timeText(Date.now()),
    worker,
    msg: 'request',
    requestId,
    method,
    path,
    status,
    ms: Math.round(durationMs),
    principal,
    provider: usage?.provider,
    model: usage?.model,
    providerModel: usage?.providerModel,
    stream: usage?.stream,
    firstByteMs: usage?.firstByteMs === undefined ? undefined : Math.round(usage.firstByteMs),
    inputTokens: usage?.usage?.input,
    outputTokens: usage?.usage?.output,
    units: usage?.usage?.units,
    cost: usage?.cost ?? undefined,
    attempts: usage?.attempts.length,
    failure: error?.kind,
    upstreamStatus: error?.upstreamStatus,
    code: error?.code,
  }
}
