import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  chatUsage,
  DONE,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions, Price } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const price = (id: string, input: number): Price => ({ id, input, output: 0 })
const BASE = 11 * 1_000
const TIERED: Price = {
  id: 'tiered',
  input: 1_000_000_000,
  output: 0,
  tiers: { flex: { factor: 0.5 }, batch: { factor: 0.25 } },
}

/** The row of one request whose answer is the given one; a list is streamed. */
async function rowOf(answer: object | readonly string[], asked: { path?: string; body: object; price?: Price }) {
  const upstream = await startUpstream((call) =>
    Array.isArray(answer) ? void call.stream(answer) : call.answer(200, answer),
  )
  const known = [{ id: 'small', price: asked.price ?? TIERED }]
  const provider =
    asked.path === MESSAGES ? messagesProvider(upstream.url, { known }) : chatProvider(upstream.url, { known })
  const { post, access } = await startGateway('node', { providers: [provider] })
  await post(asked.path ?? CHAT, asked.body).then((response) => response.text())
  return (await access.next()).usage
}

describe('The price of a request', () => {
  it('is the one that held when it began, whatever is changed while it runs', async () => {
    const upstream = await startUpstream()
    const changes: { from: number; price: Price }[] = [{ from: 0, price: price('first', 1_000_000) }]
    const prices: GatewayOptions['prices'] = {
      priceOf: (provider, model, at) =>
        `${provider}/${model}` === 'alpha/small' ? changes.findLast(({ from }) => from <= at)?.price : undefined,
    }
    const { post, access } = await startGateway('node', { providers: [chatProvider(upstream.url)], prices })
    const answering = post(CHAT, chatRequest)
    const call = await upstream.next()
    changes.push({ from: Date.now() + 1, price: price('second', 2_000_000) })
    call.answer(200, chatAnswer())
    await answering
    expect((await access.next()).usage).toMatchObject({
      cost: 11,
      priceId: 'first',
      attempts: [{ cost: 11, priceId: 'first' }],
    })
    changes.push({ from: 0, price: price('second', 2_000_000) })
    const later = post(CHAT, chatRequest)
    ;(await upstream.next()).answer(200, chatAnswer())
    await later
    expect((await access.next()).usage).toMatchObject({ cost: 22, priceId: 'second' })
  })

  it('is that of the provider where the book has none', async () => {
    const row = await rowOf(chatAnswer(), { body: chatRequest, price: price('theirs', 1_000_000) })
    expect(row).toMatchObject({ cost: 11, priceId: 'theirs' })
  })

  it.each([
    ['priority is asked, default served', { service_tier: 'priority' }, { service_tier: 'default' }, BASE],
    ['nothing is asked, flex served', {}, { service_tier: 'flex' }, BASE / 2],
    ['priority served, of which the price is not known', {}, { service_tier: 'priority' }, null],
    ['no tier is named', { service_tier: 'flex' }, {}, BASE],
    ['a server names it as it likes', {}, { service_tier: 'on_demand' }, BASE],
  ])('is that of the tier which the answer names: %s', async (_, asked, answered, cost) => {
    const row = await rowOf(chatAnswer('Hi', answered), { body: { ...chatRequest, ...asked } })
    expect(row).toMatchObject({
      cost,
      charged: cost,
      billed: cost !== null,
      why: cost === null ? 'price-unknown' : 'served',
    })
    const frames = [
      chatChunk({ content: 'Hi' }, answered),
      chatChunk({}, answered, 'stop'),
      chatChunk({}, { choices: [], usage: chatUsage }),
      DONE,
    ]
    expect(await rowOf(frames, { body: { ...chatRequest, ...asked, stream: true } })).toMatchObject({ cost })
  })

  it('is that of the tier of a message, and not known for a speed or place that costs more', async () => {
    const { usage, ...rest } = messagesAnswer() as { usage: object }
    const costFor = async (more: object) =>
      (await rowOf({ ...rest, usage: { ...usage, ...more } }, { path: MESSAGES, body: messagesRequest }))?.cost
    expect(await costFor({ service_tier: 'standard', inference_geo: 'not_available', speed: 'standard' })).toBe(BASE)
    expect(await costFor({ service_tier: 'standard', inference_geo: 'global' })).toBe(BASE)
    expect(await costFor({ service_tier: 'batch' })).toBe(BASE / 4)
    expect(await costFor({ service_tier: 'priority' })).toBeNull()
    expect(await costFor({ service_tier: 'standard', speed: 'fast' })).toBeNull()
    expect(await costFor({ service_tier: 'batch', inference_geo: 'us' })).toBeNull()
  })

  it('is ours, once, where the provider says one or two of its own', async () => {
    const usage = { ...chatUsage, cost: 0, cost_details: { upstream_inference_cost: 0.5 }, is_byok: false }
    expect(await rowOf(chatAnswer('Hi', { usage }), { body: chatRequest })).toMatchObject({
      cost: BASE,
      priceId: 'tiered',
    })
  })

  it('counts several choices once, as they are reported', async () => {
    const choices = [0, 1, 2].map((index) => ({
      index,
      message: { role: 'assistant', content: 'Hi' },
      finish_reason: 'stop',
    }))
    const body = { ...chatRequest, n: 3 }
    const output = { id: 'output', input: 0, output: 1_000_000_000 }
    expect(await rowOf(chatAnswer('Hi', { choices }), { body, price: output })).toMatchObject({ cost: 7_000 })
    const frames = [
      ...[0, 1, 2].map((index) =>
        chatChunk({}, { choices: [{ index, delta: { content: 'Hi' }, finish_reason: null }] }),
      ),
      ...[0, 1, 2].map((index) => chatChunk({}, { choices: [{ index, delta: {}, finish_reason: 'stop' }] })),
      ...chatFrames().slice(-2),
    ]
    expect(await rowOf(frames, { body: { ...body, stream: true }, price: output })).toMatchObject({ cost: 7_000 })
  })

  it('has searches that ran within an answer, and is not known where they have no price', async () => {
    const { usage, ...rest } = messagesAnswer() as { usage: object }
    const answer = { ...rest, usage: { ...usage, server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } } }
    const searching = { ...TIERED, units: { searches: 10_000_000_000_000 } }
    const asked = { path: MESSAGES, body: messagesRequest }
    expect(await rowOf(answer, { ...asked, price: searching })).toMatchObject({
      cost: BASE + 20_000_000,
      usage: { units: { searches: 2 } },
    })
    expect(await rowOf(answer, asked)).toMatchObject({ cost: null, why: 'price-unknown' })
  })

  it('declares counts that contradict each other, and charges what costs something of its own', async () => {
    const usage = { ...chatUsage, prompt_tokens_details: { cached_tokens: 20 } }
    const row = await rowOf(chatAnswer('Hi', { usage }), {
      body: chatRequest,
      price: { ...TIERED, cacheRead: 500_000_000 },
    })
    expect(row).toMatchObject({ cost: 20 * 500, losses: [{ path: 'response.usage', kind: 'changed' }] })
  })

  it('is doubted above a thousand dollars for a million tokens', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const dear = { ...price('config', 1_000_000_000_000), long: { above: 10, input: 1_000_000_000_001, output: 0 } }
    const { warnings } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      prices: { 'alpha/small': dear },
    })
    expect(warnings).toEqual([
      expect.stringContaining('The price of alpha/small is above 1,000 US dollars per million tokens (long.input)'),
    ])
  })
})
