import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../gateway/src/index.ts'
import { type SpanOptions, spansOfRow } from '../src/request-spans.ts'
import { FORMATS, type RequestCase, send } from './request-cases.ts'

const OPTIONS: SpanOptions = { dialect: '1.41', factsOf: () => ({}) }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const HEADERS = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=1', baggage: 'user=secret' }
const ALWAYS = { propagation: { isDefault: true, ratio: 1, followsParent: true } }

const chat = FORMATS['chat-completions']
if (!chat) throw new Error('no format')
const run = (requestCase: RequestCase, options: Partial<GatewayOptions>, headers: Record<string, string> = HEADERS) =>
  send(chat, requestCase, { options, headers })

describe('The trace context of a caller', () => {
  it('is not sent to providers by default', async () => {
    const { calls, row } = await run('unary', {})
    for (const name of ['traceparent', 'tracestate', 'baggage']) expect(calls[0]?.headers).not.toHaveProperty(name)
    expect(row?.attempts[0]?.spanId).toBeUndefined()
  })

  it.each(['unary', 'stream', 'failover', 'search'] as const)('is sent with the span of each call: %s', async (one) => {
    const { calls, row } = await run(one, ALWAYS)
    if (!row) throw new Error('no row')
    const clients = spansOfRow(row, OPTIONS).filter(
      ({ kind, name }) => kind === 'client' && !name.startsWith('retrieval'),
    )
    expect(calls.map(({ headers }) => headers['traceparent'])).toEqual(
      clients.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
    )
    expect(new Set(clients.map(({ spanId }) => spanId)).size).toBe(clients.length)
    for (const { headers } of calls) {
      expect(headers['tracestate']).toBe('vendor=1')
      expect(headers).not.toHaveProperty('baggage')
      expect(headers['traceparent']).not.toContain(CALLER)
    }
  })

  it('changes no byte of a body that is passed through', async () => {
    const [with_, without] = [await run('unary', ALWAYS), await run('unary', {})]
    expect(with_.row?.translated).toBe(false)
    expect(with_.calls[0]?.body).toEqual(without.calls[0]?.body)
  })

  it('is replaced by the trace of the gateway if the key links', async () => {
    const authenticate = () => ({ id: 'key-1', tracing: 'link' as const })
    const { calls, row } = await run('unary', { ...ALWAYS, authenticate })
    if (!row) throw new Error('no row')
    const [, call] = spansOfRow(row, OPTIONS)
    expect(calls[0]?.headers['traceparent']).toBe(`00-${call?.traceId}-${call?.spanId}-01`)
    expect(call?.traceId).not.toBe(TRACE)
    expect(calls[0]?.headers).not.toHaveProperty('tracestate')
  })

  it('has the decision of the sampler, or of a trusted caller', async () => {
    const never = { propagation: { isDefault: true, ratio: 0, followsParent: true } }
    const flagsOf = async (options: Partial<GatewayOptions>) =>
      (await run('unary', options)).calls[0]?.headers['traceparent']?.slice(-2)
    expect(await flagsOf(never)).toBe('00')
    expect(await flagsOf({ ...never, authenticate: () => ({ id: 'key-1', tracing: 'trusted' }) })).toBe('01')
  })

  it('is sent only to providers that are set to get it', async () => {
    const sent = await send(chat, 'unary', { headers: HEADERS, tracing: true })
    expect(sent.calls[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-`))
    const withheld = await send(chat, 'unary', { headers: HEADERS, tracing: false, options: ALWAYS })
    expect(withheld.calls[0]?.headers).not.toHaveProperty('traceparent')
  })
})
