import { childSpanId, spanIdOf } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import { CALL_ATTRIBUTES, DIALECTS } from '../src/dialects.ts'
import { type SpanOptions, spansOfRow } from '../src/request-spans.ts'
import { isSampled } from '../src/sampling.ts'
import type { Span } from '../src/span.ts'
import { attempt, BEGUN, usageRow } from './row.ts'

const OPTIONS: SpanOptions = {
  dialect: '1.41',
  factsOf: (provider) => ({ name: `vendor.${provider}`, host: 'api.acme.example', port: 443 }),
}
const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const MODEL = /gen_ai\.(request|response)\.model|llm\.model_name|^model$/

function named(spans: readonly Span[]): Record<string, string | undefined> {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return Object.fromEntries(spans.map(({ name, parentId }) => [name, names.get(parentId ?? '') ?? parentId]))
}

function attributesOf(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries(span?.attributes ?? [])
}

describe('spans of a request', () => {
  it('are one of the server and one of its call, in a trace of their own', () => {
    const row = usageRow()
    const spans = spansOfRow(row, OPTIONS)
    expect(named(spans)).toEqual({ 'POST /v1/messages': undefined, 'chat large-1': 'POST /v1/messages' })
    const [root, call] = spans
    expect(root).toMatchObject({ kind: 'server', traceId: '01985ff012347abc8def0123456789ab', isParentRemote: false })
    expect(call).toMatchObject({ kind: 'client', startedAt: BEGUN + 10, endedAt: BEGUN + 510, failure: undefined })
    expect(attributesOf(call)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'vendor.acme',
      'gen_ai.request.model': 'large-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_creation.input_tokens': 10,
      'server.address': 'api.acme.example',
      'headgate.cost_nanodollars': 1_500,
    })
  })

  it('name models only in calls, and have usage only in the call that was served', () => {
    const failed = attempt({ status: 429, failure: 'rate-limited', cost: 0, priceId: null, durationMs: 50 })
    const row = usageRow({
      attempts: [failed, attempt({ provider: 'other', startedAt: BEGUN + 70 })],
      provider: 'other',
    })
    for (const dialect of DIALECTS) {
      const [root, first, second] = spansOfRow(row, { ...OPTIONS, dialect })
      expect(Object.keys(attributesOf(root)).filter((name) => MODEL.test(name) || name.includes('usage'))).toEqual([])
      expect(attributesOf(first)['error.type']).toBe('429')
      const usage = (span: Span | undefined) =>
        Object.keys(attributesOf(span)).filter((name) => /usage|token_count/.test(name)).length
      expect(usage(first)).toBe(0)
      expect(usage(second)).toBeGreaterThan(3)
    }
  })

  it('have one tool call around the searches that the gateway runs', () => {
    const search = (provider: string, at: number, given = {}) =>
      attempt({ family: 'search', provider, model: 'web', startedAt: BEGUN + at, durationMs: 20, ...given })
    const row = usageRow({
      attempts: [
        attempt({ durationMs: 90 }),
        search('one', 110, { failure: 'upstream', status: 503 }),
        search('two', 140),
        attempt({ startedAt: BEGUN + 200, model: 'large-2' }),
      ],
    })
    const spans = spansOfRow(row, OPTIONS)
    expect(named(spans)).toEqual({
      'POST /v1/messages': undefined,
      'chat large-1': 'POST /v1/messages',
      'execute_tool web_search': 'POST /v1/messages',
      'retrieval one': 'execute_tool web_search',
      'retrieval two': 'execute_tool web_search',
      'chat large-2': 'POST /v1/messages',
    })
    expect(spans.find(({ kind }) => kind === 'internal')).toMatchObject({
      startedAt: BEGUN + 110,
      endedAt: BEGUN + 160,
    })
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  })

  it('are part of the trace of the caller, or link to it', () => {
    const part = spansOfRow(usageRow({ trace: { route: 'POST /v1/messages', parent: PARENT, state: 'a=b' } }), OPTIONS)
    expect(part[0]).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentId: '00f067aa0ba902b7',
      isParentRemote: true,
      state: 'a=b',
      links: [],
    })
    const [linked] = spansOfRow(
      usageRow({ trace: { route: 'POST /v1/messages', parent: PARENT, isLinked: true } }),
      OPTIONS,
    )
    expect(linked).toMatchObject({ parentId: undefined, links: [{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }] })
    expect(linked?.traceId).not.toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  })

  it('leave out unknown costs', () => {
    const [root, call] = spansOfRow(
      usageRow({ cost: null, charged: null, attempts: [attempt({ cost: null })] }),
      OPTIONS,
    )
    for (const span of [root, call])
      expect(Object.keys(attributesOf(span)).filter((name) => name.endsWith('nanodollars'))).toEqual([])
  })

  it('have different ids for different parts', () => {
    const id = usageRow().id
    const ids = Array.from({ length: 100 }, (_, at) => childSpanId(id, at))
    expect(new Set([...ids, spanIdOf(id)]).size).toBe(101)
    for (const one of ids) expect(one).toMatch(/^[\da-f]{16}$/)
  })
})

it('attributes have one name per dialect', () => {
  for (const dialect of DIALECTS) {
    const names = CALL_ATTRIBUTES.flatMap(({ names: own }) => own[dialect] ?? [])
    expect(new Set(names).size).toBe(names.length)
  }
})

describe('sampling', () => {
  const settings = { ratio: 0.25, followsParent: true }
  const { trace, ...served } = usageRow()

  it('exports a part of the traces', () => {
    let sampled = 0
    for (let at = 0; at < 10_000; at++) {
      const id = `00000000000000000${Math.floor((at / 10_000) * 2 ** 52)
        .toString(16)
        .padStart(13, '0')}00`
      if (isSampled(served, id, settings)) sampled += 1
    }
    expect(sampled / 10_000).toBeCloseTo(0.25, 2)
  })

  it('exports failures and slow requests, unless it is off', () => {
    const never = '0'.repeat(32)
    expect(isSampled(served, never, settings)).toBe(false)
    expect(isSampled({ ...served, status: 502 }, never, settings)).toBe(true)
    expect(isSampled({ ...served, durationMs: 31_000 }, never, settings)).toBe(true)
    expect(isSampled({ ...served, status: 502 }, never, { ...settings, ratio: 0 })).toBe(false)
  })

  it('follows trusted callers', () => {
    const asked = { ...trace, route: 'POST /v1/messages', parent: PARENT }
    expect(isSampled({ ...served, trace: { ...asked, isSampled: true } }, '0'.repeat(32), settings)).toBe(true)
    expect(isSampled({ ...served, trace: { ...asked, isSampled: false }, status: 502 }, 'f'.repeat(32), settings)).toBe(
      false,
    )
  })
})
