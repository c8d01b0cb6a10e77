import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { spansToJson } from '../src/otlp-json.ts'
import { spansToProtobuf } from '../src/otlp-protobuf.ts'
import { ProtobufWriter } from '../src/protobuf.ts'
import type { Span, SpanBatch } from '../src/span.ts'
import { BEGUN } from './row.ts'

/** Folder with the official `.proto` files, for example a checkout of open-telemetry/opentelemetry-proto. */
const PROTO = process.env['OTLP_PROTO']
const TYPE = 'opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest'

const span: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: 'b7ad6b7169203331',
  isParentRemote: true,
  state: 'vendor=1',
  isSampled: true,
  name: 'chat größe',
  kind: 'client',
  startedAt: BEGUN,
  endedAt: BEGUN + 0.25,
  attributes: [
    ['text', 'ünïcode 😀'],
    ['count', 9_007_199_254_740_991],
    ['negative', -42],
    ['zero', 0],
    ['ratio', { double: 0.1 }],
    ['flag', true],
    ['list', ['a', '']],
  ],
  links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b9c7c989f97918e1', attributes: [['why', 'caller']] }],
  failure: 'timeout',
}

function batchOf(spans: readonly Span[]): SpanBatch {
  return {
    resource: [['service.name', 'headgate']],
    version: '1.2.3',
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    spans,
  }
}

type Fields = Map<number, (bigint | Buffer)[]>

/** Fields of a message by number: integers and fixed values as bigint, others as bytes. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const taken = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    let value: bigint | Buffer
    if (tag % 8 === 0) value = varint()
    else if (tag % 8 === 1) value = taken(8).readBigUInt64LE()
    else if (tag % 8 === 5) value = BigInt(taken(4).readUInt32LE())
    else value = taken(Number(varint()))
    const field = Math.floor(tag / 8)
    fields.set(field, [...(fields.get(field) ?? []), value])
  }
  return fields
}

function only(fields: Fields, ...path: readonly number[]): Fields {
  let found = fields
  for (const field of path) found = fieldsOf(found.get(field)?.[0] as Buffer)
  return found
}

describe('protocol buffers', () => {
  it('have the fields of a span with their types', () => {
    const request = fieldsOf(spansToProtobuf(batchOf([span])))
    expect(String(only(request, 1, 1, 1).get(1)?.[0])).toBe('service.name')
    const scopeSpans = only(request, 1, 2)
    expect(String(only(scopeSpans, 1).get(2)?.[0])).toBe('1.2.3')
    const written = only(scopeSpans, 2)
    const bytes = (field: number): Buffer => written.get(field)?.[0] as Buffer
    expect(bytes(1).toString('hex')).toBe(span.traceId)
    expect(bytes(2).toString('hex')).toBe(span.spanId)
    expect(bytes(4).toString('hex')).toBe(span.parentId)
    expect(bytes(5).toString()).toBe('chat größe')
    expect(written.get(6)).toEqual([3n])
    expect(written.get(7)).toEqual([BigInt(BEGUN) * 1_000_000n])
    expect(written.get(8)).toEqual([BigInt(BEGUN) * 1_000_000n + 250_000n])
    expect(written.get(16)).toEqual([0x301n])
    expect(String(fieldsOf(bytes(15)).get(2)?.[0])).toBe('timeout')
    const values = (written.get(9) ?? []).map((one) => fieldsOf(one as Buffer))
    expect(values.map((one) => String(one.get(1)?.[0]))).toEqual(span.attributes.map(([name]) => name))
    const [text, count, negative, zero, ratio, flag, list] = values.map((one) => only(one, 2))
    expect(String(text?.get(1)?.[0])).toBe('ünïcode 😀')
    expect(count?.get(3)).toEqual([9_007_199_254_740_991n])
    expect(BigInt.asIntN(64, negative?.get(3)?.[0] as bigint)).toBe(-42n)
    expect(zero?.get(3)).toEqual([0n])
    expect(new Float64Array(new BigUint64Array([ratio?.get(4)?.[0] as bigint]).buffer)).toEqual(new Float64Array([0.1]))
    expect(flag?.get(2)).toEqual([1n])
    expect(only(list as Fields, 5).get(1)).toHaveLength(2)
  })

  it('grow with their content', () => {
    const spans = Array.from({ length: 2_000 }, (_, at) => ({ ...span, name: `${at} ${'x'.repeat(at)}` }))
    const written = only(fieldsOf(spansToProtobuf(batchOf(spans))), 1, 2).get(2) ?? []
    expect(written.map((one) => String(fieldsOf(one as Buffer).get(5)?.[0]))).toEqual(spans.map(({ name }) => name))
  })

  it('have integers of every length', () => {
    const writer = new ProtobufWriter()
    const values = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 49 - 1, Number.MAX_SAFE_INTEGER]
    for (const value of values) writer.integer(1, value)
    expect(fieldsOf(writer.take()).get(1)).toEqual(values.map(BigInt).reverse())
  })

  it.skipIf(PROTO === undefined)('are read by protoc with the official descriptors', () => {
    const file = 'opentelemetry/proto/collector/trace/v1/trace_service.proto'
    for (let at = 0; at < 20; at++) {
      const spans = Array.from({ length: 1 + at * 25 }, () => span)
      const input = spansToProtobuf(batchOf(spans))
      const text = execFileSync('protoc', [`--proto_path=${PROTO}`, `--decode=${TYPE}`, file], { input }).toString()
      expect(text.match(/^ {4}spans \{/gm)).toHaveLength(spans.length)
      expect(text).toContain('kind: SPAN_KIND_CLIENT')
      expect(text).not.toMatch(/^\s*\d+: /m)
    }
  })
})

describe('JSON', () => {
  it('has hexadecimal ids, and 64-bit integers as strings', () => {
    const { resourceSpans } = JSON.parse(spansToJson(batchOf([span])))
    expect(resourceSpans[0].scopeSpans[0].spans[0]).toMatchObject({
      traceId: span.traceId,
      parentSpanId: span.parentId,
      kind: 3,
      startTimeUnixNano: `${BEGUN}000000`,
      endTimeUnixNano: `${BEGUN}250000`,
      attributes: [
        { key: 'text', value: { stringValue: 'ünïcode 😀' } },
        { key: 'count', value: { intValue: '9007199254740991' } },
        { key: 'negative', value: { intValue: '-42' } },
        { key: 'zero', value: { intValue: '0' } },
        { key: 'ratio', value: { doubleValue: 0.1 } },
        { key: 'flag', value: { boolValue: true } },
        { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: '' }] } } },
      ],
      status: { code: 2, message: 'timeout' },
      flags: 0x301,
    })
  })
})
