import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LogBatch, LogRecord } from '../src/log-record.ts'
import { logsToProtobuf } from '../src/otlp-logs.ts'
import { spansToProtobuf } from '../src/otlp-protobuf.ts'
import type { Attribute, Span, SpanBatch } from '../src/span.ts'

/** Folder with the official `.proto` files, for example a checkout of open-telemetry/opentelemetry-proto. */
const PROTO = process.env['OTLP_PROTO']
const BATCHES = 10_000
/** Batches of one call of protoc. Concatenated messages are read as one with all their lists. */
const TOGETHER = 50

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const at = fc.double({ min: 0, max: 4e12, noNaN: true })
const attribute: fc.Arbitrary<Attribute> = fc.tuple(
  text,
  fc.oneof(
    text,
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double().map((double) => ({ double })),
    fc.array(text, { maxLength: 4 }),
  ),
)
const attributes = fc.array(attribute, { maxLength: 6 })
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const span: fc.Arbitrary<Span> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parentId: optional(hex(16)),
  isParentRemote: fc.boolean(),
  state: optional(text),
  isSampled: fc.boolean(),
  name: text,
  kind: fc.constantFrom('internal' as const, 'server' as const, 'client' as const),
  startedAt: at,
  endedAt: at,
  attributes,
  links: fc.array(fc.record({ traceId: hex(32), spanId: hex(16), attributes: optional(attributes) }), { maxLength: 2 }),
  failure: optional(text),
})

const record: fc.Arbitrary<LogRecord> = fc.record({
  at,
  severity: fc.constantFrom('info' as const, 'warn' as const, 'error' as const),
  eventName: text,
  body: optional(text),
  attributes,
  span: optional(fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() })),
})

const head = { resource: attributes, version: text, schemaUrl: text }
const spanBatch: fc.Arbitrary<SpanBatch> = fc.record({ ...head, spans: fc.array(span, { maxLength: 5 }) })
const logBatch: fc.Arbitrary<LogBatch> = fc.record({
  ...head,
  observedAt: at,
  records: fc.array(record, { maxLength: 5 }),
})

/** Text of a request by the official descriptors. Fails if protoc cannot read it. */
function decoded(signal: 'trace' | 'logs', name: string, input: Buffer): string {
  const { status, stdout, stderr } = spawnSync(
    'protoc',
    [
      `--proto_path=${PROTO}`,
      `--decode=opentelemetry.proto.collector.${signal}.v1.${name}`,
      `opentelemetry/proto/collector/${signal}/v1/${signal}_service.proto`,
    ],
    { input, maxBuffer: 256 * 1024 * 1024 },
  )
  expect(status, stderr.toString()).toBe(0)
  return stdout.toString()
}

const count = (read: string, pattern: RegExp): number => read.match(pattern)?.length ?? 0

describe.skipIf(PROTO === undefined)('protoc with the official descriptors', () => {
  it('reads 10,000 batches of spans', { tags: ['full'], timeout: 600_000 }, () => {
    const batches = fc.sample(spanBatch, { numRuns: BATCHES, seed: 1 })
    for (let from = 0; from < batches.length; from += TOGETHER) {
      const some = batches.slice(from, from + TOGETHER)
      const read = decoded('trace', 'ExportTraceServiceRequest', Buffer.concat(some.map(spansToProtobuf)))
      expect(count(read, /^resource_spans \{/gm)).toBe(some.length)
      expect(count(read, /^ {4}spans \{/gm)).toBe(some.reduce((sum, { spans }) => sum + spans.length, 0))
      expect(count(read, /^ {6}links \{/gm)).toBe(
        some.flatMap(({ spans }) => spans.flatMap(({ links }) => links)).length,
      )
      // A field that the descriptors do not have is shown by its number.
      expect(read).not.toMatch(/^\s*\d+(?::| \{)/m)
    }
  })

  it('reads 10,000 batches of log records', { tags: ['full'], timeout: 600_000 }, () => {
    const batches = fc.sample(logBatch, { numRuns: BATCHES, seed: 1 })
    for (let from = 0; from < batches.length; from += TOGETHER) {
      const some = batches.slice(from, from + TOGETHER)
      const read = decoded('logs', 'ExportLogsServiceRequest', Buffer.concat(some.map(logsToProtobuf)))
      expect(count(read, /^resource_logs \{/gm)).toBe(some.length)
      expect(count(read, /^ {4}log_records \{/gm)).toBe(some.reduce((sum, { records }) => sum + records.length, 0))
      // `event_name` is newer than the descriptors of some systems.
      expect(read).not.toMatch(/^\s*(?!12:)\d+(?::| \{)/m)
    }
  })
})
