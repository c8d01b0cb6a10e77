import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  messagesAnswer,
  messagesFrames,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance, UsageRow } from '../../src/index.ts'
import { server } from '../support/embeddings.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { CLOSED_ORIGIN, startUpstream, type UpstreamCall } from '../support/upstream.ts'

const CHEAP = { id: 'cheap', input: 1_000_000_000, output: 2_000_000_000 }
const DEAR = { id: 'dear', input: 3_000_000_000, output: 15_000_000_000 }
const EMBEDDING = { id: 'embedding', input: 20_000_000, output: 0 }
const streamed = { ...chatRequest, stream: true }

/** Nano-dollars of 11 tokens in and 7 out, which every answer here has used. */
const costBy = ({ input, output }: typeof CHEAP): number => (11 * input + 7 * output) / 1_000_000

/** A vendor that keeps its own books: what it does, and what it charges for that. */
async function startVendor(serve: (call: UpstreamCall) => number) {
  const books = { charged: 0 }
  const upstream = await startUpstream((call) => {
    books.charged += serve(call)
  })
  return { url: upstream.url, books }
}

const inChat = (call: UpstreamCall): number => {
  if (call.json()['stream']) void call.stream(chatFrames())
  else call.answer(200, chatAnswer())
  return costBy(CHEAP)
}
const inMessages = (call: UpstreamCall): number => {
  if (call.json()['stream']) void call.stream(messagesFrames())
  else call.answer(200, messagesAnswer())
  return costBy(DEAR)
}
const refusing = (call: UpstreamCall): number => {
  call.answer(503, { error: { message: 'busy' } })
  return 0
}
const breaking = (call: UpstreamCall): number => {
  call.reset()
  return costBy(CHEAP)
}
const babbling = (call: UpstreamCall): number => {
  call.answer(200, 'no JSON')
  return costBy(CHEAP)
}
const cheap = (url: string, changes: Partial<ProviderInstance> = {}): ProviderInstance =>
  chatProvider(url, { known: [{ id: 'small', price: CHEAP }], ...changes })
const dear = (url: string): ProviderInstance =>
  messagesProvider(url, { name: 'claude', known: [{ id: 'small', price: DEAR }] })

const costs = (row: UsageRow | undefined) => ({
  attempts: row?.attempts.map(({ cost, priceId }) => [cost, priceId]),
  cost: row?.cost,
  charged: row?.charged,
  priceId: row?.priceId,
})

/** Asks once, and gives the row. */
async function rowOf(
  providers: readonly ProviderInstance[],
  body: object,
  path = CHAT,
  options: Partial<GatewayOptions> = {},
) {
  const gateway = await startGateway('node', { providers, ...options })
  await gateway.post(path, body).then((answer) => answer.text())
  return (await gateway.access.next()).usage
}

describe('What a row costs is what the upstreams counted', () => {
  it('for all that was served, whole, streamed and translated', async () => {
    const [chat, claude] = [await startVendor(inChat), await startVendor(inMessages)]
    const { post, rows } = await startGateway('node', { providers: [cheap(chat.url), dear(claude.url)] })
    for (const body of [
      chatRequest,
      streamed,
      { ...chatRequest, model: 'claude/small' },
      { ...streamed, model: 'claude/small' },
    ])
      await post(CHAT, body).then((answer) => answer.text())
    const sum = rows.reduce((total, { cost }) => total + (cost ?? Number.NaN), 0)
    expect([rows.length, sum]).toEqual([4, chat.books.charged + claude.books.charged])
    expect(rows.every(({ cost, charged }) => cost === charged)).toBe(true)
  })

  it('where another provider served: each attempt at the price of its own model', async () => {
    const [first, claude] = [await startVendor(refusing), await startVendor(inMessages)]
    const row = await rowOf([cheap(first.url), dear(claude.url)], chatRequest)
    const cost = costBy(DEAR)
    expect(costs(row)).toEqual({
      attempts: [
        [0, null],
        [cost, 'dear'],
      ],
      cost: claude.books.charged,
      charged: cost,
      priceId: 'dear',
    })
  })

  it('as unknown where an error response breaks off in the middle', async () => {
    const first = await startVendor((call) => {
      call.head(503, { 'content-type': 'application/json' })
      void call.write('{"error":').then(() => call.cut())
      return 0
    })
    const claude = await startVendor(inMessages)
    const row = await rowOf([cheap(first.url), dear(claude.url)], chatRequest)
    expect(costs(row)).toMatchObject({
      attempts: [
        [null, null],
        [costBy(DEAR), 'dear'],
      ],
      cost: null,
    })
  })

  it('where a provider is not there', async () => {
    const claude = await startVendor(inMessages)
    const row = await rowOf([cheap(CLOSED_ORIGIN), dear(claude.url)], streamed)
    expect(costs(row)).toMatchObject({
      attempts: [
        [0, null],
        [costBy(DEAR), 'dear'],
      ],
      cost: claude.books.charged,
    })
  })

  it('or is not known: a call that broke off after it was sent may be charged', async () => {
    const [first, claude] = [await startVendor(breaking), await startVendor(inMessages)]
    const row = await rowOf([cheap(first.url), dear(claude.url)], chatRequest)
    expect(costs(row)).toEqual({
      attempts: [
        [null, null],
        [costBy(DEAR), 'dear'],
      ],
      cost: null,
      charged: costBy(DEAR),
      priceId: 'dear',
    })
    expect(row).toMatchObject({ billed: true, why: 'served' })
  })

  it('or is not known: an answer that can not be used was made all the same', async () => {
    const [first, claude] = [await startVendor(babbling), await startVendor(inMessages)]
    const row = await rowOf([cheap(first.url), dear(claude.url)], chatRequest)
    expect(costs(row)).toMatchObject({
      attempts: [
        [null, null],
        [costBy(DEAR), 'dear'],
      ],
      cost: null,
      charged: costBy(DEAR),
    })
  })

  it.each([
    ['before it says anything', streamed],
    ['in a whole answer', chatRequest],
  ])('as unknown where it sends an error with the status 200: %s', async (_, body) => {
    const error = { error: { message: 'overloaded', type: 'server_error', code: 503 } }
    const first = await startVendor((call) => {
      if (call.json()['stream']) void call.stream(`data: ${JSON.stringify(error)}\n\n`)
      else call.answer(200, error)
      return 0
    })
    const claude = await startVendor(inMessages)
    const row = await rowOf([cheap(first.url), dear(claude.url)], body)
    expect(costs(row)).toMatchObject({
      attempts: [
        [null, null],
        [costBy(DEAR), 'dear'],
      ],
      cost: null,
    })
  })

  it('for a stream that is cut: what was counted until then, as an estimate', async () => {
    const first = await startVendor((call) => {
      void call.head(200, { 'content-type': 'text/event-stream' })
      void call.write(chatChunk({ role: 'assistant', content: 'one two' })).then(() => call.cut())
      return 0
    })
    const estimateTokens = (text: string): number => text.split(/\s+/).filter(Boolean).length
    const row = await rowOf([cheap(first.url)], streamed, CHAT, { estimateTokens })
    const cost = ((row?.usage?.input ?? 0) * CHEAP.input + 2 * CHEAP.output) / 1_000_000
    expect(row).toMatchObject({ why: 'cut', estimated: true, usage: { output: 2 } })
    expect(costs(row)).toEqual({ attempts: [[cost, 'cheap']], cost, charged: cost, priceId: 'cheap' })
  })

  it('for vectors that were made in batches, of which one was refused at first', async () => {
    const { input: rate } = EMBEDDING
    let refused = false
    const vectors = await startVendor((call) => {
      const inputs = call.json()['input'] as string[]
      if (!refused && inputs.length === 1) {
        refused = true
        return refusing(call)
      }
      const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [1] }))
      const usage = { prompt_tokens: inputs.length * 3, total_tokens: inputs.length * 3 }
      call.answer(200, { object: 'list', data, model: 'm', usage })
      return (inputs.length * 3 * rate) / 1_000_000
    })
    const provider = server(vectors.url, { known: [{ id: 'embed-1', price: EMBEDDING, families: ['embeddings'] }] })
    const gateway = await startGateway('node', { providers: [provider] })
    const input = Array.from({ length: 9 }, (_, index) => `text ${index}`)
    await gateway.post('/v1/embeddings', { model: 'embed-1', input: ['alone'] }).then((answer) => answer.text())
    await gateway.post('/v1/embeddings', { model: 'embed-1', input }).then((answer) => answer.text())
    const sum = gateway.rows.reduce((total, { cost }) => total + (cost ?? Number.NaN), 0)
    expect(sum).toBe(vectors.books.charged)
    expect(gateway.rows.map((row) => costs(row))).toMatchObject([
      {
        attempts: [
          [0, null],
          [60, 'embedding'],
        ],
        charged: 60,
      },
      { charged: 540, cost: 540, priceId: 'embedding' },
    ])
  })

  it('and a request that failed counts for nobody, whatever it cost', async () => {
    const first = await startVendor(babbling)
    const failed = await rowOf([cheap(first.url)], chatRequest)
    expect(failed).toMatchObject({ why: 'failed', billed: false, charged: 0, cost: null })
    const busy = await startVendor(refusing)
    expect(await rowOf([cheap(busy.url)], chatRequest)).toMatchObject({
      why: 'failed',
      charged: 0,
      cost: 0,
      priceId: null,
    })
  })
})
