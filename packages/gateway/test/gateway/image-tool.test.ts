import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { ImagesOptions } from '../../../core/src/provider.ts'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatRequest,
  chatUsageFrame,
  DONE,
  dataOf,
} from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryBudgets, type ProviderInstance } from '../../src/index.ts'
import { listBackend, results } from '../search/backends.ts'
import { chatProvider, KEY, SECRET, startGateway } from '../support/gateway.ts'
import { png } from '../support/pictures.ts'
import { RESPONSES, responsesAnswer, responsesProvider } from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/**
 * Items and events are those of https://platform.openai.com/docs/guides/tools-image-generation and
 * https://platform.openai.com/docs/api-reference/responses-streaming.
 */

type Json = Record<string, unknown>

const PICTURE = png(64, 32)
const B64 = PICTURE.toString('base64')
const MILLION = 1_000_000

const call = (name: string, args: object, id = 'call_1') => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

/** Calls of tools in the n-th response of the model; none = it answers. */
type Script = (turn: number) => readonly Json[]
const drawsOnce: Script = (turn) => (turn === 0 ? [call('image_generation', { prompt: 'a small cat' })] : [])

function scripted(script: Script) {
  let turn = 0
  return (asked: UpstreamCall): unknown => {
    const calls = script(turn++)
    const finish = calls.length > 0 ? 'tool_calls' : 'stop'
    if (asked.json()['stream'])
      return asked.stream([
        chatChunk({ role: 'assistant', content: '' }),
        ...calls.map((one, index) => chatChunk({ tool_calls: [{ index, ...one }] })),
        ...(calls.length > 0 ? [] : [chatChunk({ content: 'Here it is.' })]),
        chatChunk({}, {}, finish),
        chatUsageFrame,
        DONE,
      ])
    const message = { role: 'assistant', content: null, tool_calls: calls }
    return asked.answer(
      200,
      calls.length > 0
        ? chatAnswer('', { choices: [{ index: 0, message, finish_reason: finish }] })
        : chatAnswer('Here it is.'),
    )
  }
}

const ABLE: ImagesOptions = {
  edits: '/images/edits',
  can: { n: 1, sizes: ['64x32'], qualities: ['low', 'high'], formats: ['png'], images: 4, takes: 'urls' },
}

function painter(baseUrl: string, name = 'easel'): ProviderInstance {
  const price = { id: 'list@today', input: 0, output: 0, units: { images: 40_000_000 * MILLION } }
  const known = [{ id: 'brush-1', families: ['images'], price }]
  return {
    name,
    claims: [],
    ...openAICompatibleServer({ baseUrl, apiKey: SECRET, images: ABLE, models: false, chat: false, known }),
  }
}

interface Given {
  readonly script?: Script
  readonly options?: Partial<GatewayOptions>
  readonly paint?: (asked: UpstreamCall) => unknown
  readonly make?: (url: string, changes?: Partial<ProviderInstance>) => ProviderInstance
}

const paintWell = (asked: UpstreamCall): unknown =>
  asked.answer(200, { created: 1, data: [{ b64_json: B64, revised_prompt: 'a small grey cat' }] })

async function start({ script = drawsOnce, options = {}, paint = paintWell, make = chatProvider }: Given = {}) {
  const upstream = await startUpstream(scripted(script))
  const easel = await startUpstream(paint)
  const price = { id: 'test', input: 1_000 * MILLION, output: 2_000 * MILLION }
  const gateway = await startGateway('node', {
    providers: [make(upstream.url, { known: [{ id: 'small', price }] }), painter(easel.url)],
    ...options,
  })
  const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${gateway.port}/v1`, maxRetries: 0 })
  return { ...gateway, upstream, easel, client }
}

const tool = { type: 'image_generation', model: 'brush-1', size: '64x32', quality: 'high' } as const
const request = { model: 'small', input: 'Draw a cat.', tools: [tool] } as const
const PAINTED = {
  type: 'image_generation_call',
  status: 'completed',
  result: B64,
  output_format: 'png',
  revised_prompt: 'a small grey cat',
  size: '64x32',
  quality: 'high',
}

describe('The image tool', () => {
  it('is run by the gateway with any image provider, for a model that has no such tool', async () => {
    const { client, upstream, easel, rows } = await start()
    const { output, output_text } = await client.responses.create(request as never)
    expect(output).toMatchObject([PAINTED, { type: 'message' }])
    expect(output_text).toBe('Here it is.')
    expect(upstream.calls[0]?.json()['tools']).toMatchObject([
      { type: 'function', function: { name: 'image_generation', parameters: { required: ['prompt'] } } },
    ])
    expect(easel.calls.map((one) => [one.path, one.json()])).toEqual([
      ['/v1/images/generations', { model: 'brush-1', prompt: 'a small cat', size: '64x32', quality: 'high' }],
    ])
    expect(JSON.stringify(upstream.calls[1]?.json())).toContain('64x32 pixels')
    expect(JSON.stringify(upstream.calls[1]?.json())).not.toContain(B64)
    const chat = 2 * (11 * 1_000 + 7 * 2_000)
    expect(rows).toMatchObject([
      {
        family: 'chat',
        usage: { input: 22, output: 14, units: { images: 1 } },
        cost: chat + 40_000_000,
        billed: true,
        attempts: [{ provider: 'alpha' }, { provider: 'easel', cost: 40_000_000 }, { provider: 'alpha' }],
      },
    ])
  })

  it('is told in events of a stream, with the image once', async () => {
    const { post, client } = await start()
    const text = await (await post(RESPONSES, { ...request, stream: true })).text()
    const events = dataOf(text) as Json[]
    const own = events.filter(({ type }) => String(type).includes('image_generation_call'))
    expect(own.map(({ type }) => type)).toEqual([
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'response.image_generation_call.completed',
    ])
    expect(own.map(({ output_index: index }) => index)).toEqual([0, 0, 0])
    const added = events.find(({ type }) => type === 'response.output_item.added')
    expect(added?.['item']).toMatchObject({ type: 'image_generation_call', status: 'in_progress', result: null })
    const done = events.find(({ type }) => type === 'response.output_item.done')
    expect(done?.['item']).toMatchObject(PAINTED)
    // In the item and in the whole response at the end.
    expect(text.split(B64)).toHaveLength(3)
    const again = await start()
    const stream = again.client.responses.stream(request as never)
    expect((await stream.finalResponse()).output).toMatchObject([PAINTED, { type: 'message' }])
    expect(client).toBeDefined()
  })

  it('is announced in a stream before the image exists, and ends if the image fails', async () => {
    const asked = Promise.withResolvers<UpstreamCall>()
    const { post, client, upstream } = await start({ paint: asked.resolve })
    const reader = (await post(RESPONSES, { ...request, stream: true })).body?.getReader()
    let text = ''
    const read = async (): Promise<boolean> => {
      const { value, done } = (await reader?.read()) ?? { done: true }
      text += new TextDecoder().decode(value)
      return !done
    }
    while (!text.includes('image_generation_call.generating')) expect(await read()).toBe(true)
    expect(text).not.toContain('image_generation_call.completed')
    ;(await asked.promise).answer(500, { error: { message: 'No.' } })
    while (await read());
    const events = dataOf(text) as Json[]
    const items = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item as Json] : []))
    expect(items).toMatchObject([
      { type: 'image_generation_call', status: 'failed', result: null },
      { type: 'message' },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: items } })
    // The conversation can continue with the failed item.
    await client.responses.create({ model: 'small', input: [{ role: 'user', content: 'Draw.' }, ...items] } as never)
    expect(JSON.stringify(upstream.calls.at(-1)?.json())).not.toContain('image_generation_call')
  })

  it('uses the alias `image` if it names no model, or one that is not available', async () => {
    for (const model of [undefined, 'gpt-image-2']) {
      const { post, easel } = await start({ options: { models: { image: ['easel/brush-1'] } } })
      const answer = await post(RESPONSES, { ...request, tools: [{ type: 'image_generation', model }] })
      expect(answer.status).toBe(200)
      expect(easel.calls[0]?.json()).toEqual({ model: 'brush-1', prompt: 'a small cat' })
      const lost = answer.headers.get('headgate-lost') ?? ''
      expect(lost.includes('tools[*].model')).toBe(model !== undefined)
    }
  })

  it('edits the latest images of the conversation, and those that it made', async () => {
    const { post, easel } = await start({
      script: (turn) =>
        turn < 2 ? [call('image_generation', { prompt: 'with a hat', edit: true }, `call_${turn}`)] : [],
    })
    const picture = { type: 'input_image', image_url: 'https://files.example/cat.png', detail: 'auto' }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'A hat, please.' }, picture] }]
    expect((await post(RESPONSES, { ...request, input })).status).toBe(200)
    expect(easel.calls.map((one) => [one.path, one.json()['images']])).toEqual([
      ['/v1/images/edits', [{ image_url: 'https://files.example/cat.png' }]],
      ['/v1/images/edits', [{ image_url: `data:image/png;base64,${B64}` }]],
    ])
  })

  it('is kept in the conversation, whose next request can edit the image', async () => {
    const { post, easel } = await start({
      script: (turn) => (turn === 0 ? [call('image_generation', { prompt: 'with a hat', edit: true })] : []),
    })
    const item = { ...PAINTED, id: 'ig_1' }
    const input = [{ role: 'user', content: 'Draw a cat.' }, item, { role: 'user', content: 'Give it a hat.' }]
    const answer = await post(RESPONSES, { ...request, input })
    expect(answer.status).toBe(200)
    expect(easel.calls[0]?.json()['images']).toEqual([{ image_url: `data:image/png;base64,${B64}` }])
  })

  it('shows its image to a provider with this format, which does not know the call', async () => {
    const { post } = await start()
    const { output } = (await (await post(RESPONSES, request)).json()) as { output: Json[] }
    const next = await startUpstream((asked) => asked.answer(200, responsesAnswer('Yes.')))
    const gateway = await startGateway('node', { providers: [responsesProvider(next.url)] })
    const input = [{ role: 'user', content: 'Draw a cat.' }, ...output, { role: 'user', content: 'Is it gray?' }]
    expect((await gateway.post(RESPONSES, { model: 'small', input, store: false })).status).toBe(200)
    const sent = next.calls[0]?.json()['input'] as Json[] | undefined
    expect(sent?.[1]).toMatchObject({
      role: 'user',
      content: [{ type: 'input_text' }, { type: 'input_image', image_url: `data:image/png;base64,${B64}` }],
    })
    expect(JSON.stringify(sent)).not.toContain('image_generation_call')
    // An image of the vendor stays as it is.
    const own = { ...PAINTED, id: 'ig_0a1b' }
    await gateway.post(RESPONSES, { model: 'small', input: [own, { role: 'user', content: 'Hi' }], store: false })
    expect((next.calls[1]?.json()['input'] as Json[] | undefined)?.[0]).toEqual(own)
  })

  it('is run at most four times in a response', async () => {
    const { post, easel } = await start({
      script: (turn) => (turn < 9 ? [call('image_generation', { prompt: `cat ${turn}` }, `call_${turn}`)] : []),
    })
    const answer = (await (await post(RESPONSES, request)).json()) as { output: Json[] }
    expect(easel.calls).toHaveLength(4)
    expect(answer.output.filter(({ type }) => type === 'image_generation_call')).toHaveLength(4)
    expect(new Set(answer.output.map(({ id }) => id)).size).toBe(answer.output.length)
  })

  it('stands beside web search', async () => {
    const { post, easel } = await start({
      script: (turn) =>
        [[call('web_search', { query: 'cats' })], [call('image_generation', { prompt: 'a cat' }, 'call_2')]][turn] ??
        [],
      options: { search: { backends: [listBackend({ by: 'offset', perCall: 10 }, results(3))] } },
    })
    const tools = [{ type: 'web_search' }, tool]
    const answer = (await (await post(RESPONSES, { ...request, tools })).json()) as { output: Json[] }
    expect(answer.output.map(({ type }) => type)).toEqual(['web_search_call', 'image_generation_call', 'message'])
    expect(easel.calls).toHaveLength(1)
  })

  it('declares what it does not support, and is rejected in strict mode', async () => {
    const tools = [{ ...tool, size: '1024x1024', partial_images: 2, moderation: 'low' }]
    const { post } = await start()
    const answer = await post(RESPONSES, { ...request, tools })
    const lost = answer.headers.get('headgate-lost') ?? ''
    for (const name of ['size', 'partial_images', 'moderation']) expect(lost).toContain(`tools[*].${name}`)
    const strict = await start()
    const refused = await strict.post(RESPONSES, { ...request, tools }, { headers: { 'headgate-strict': 'true' } })
    expect(refused.status).toBe(400)
    expect(strict.upstream.calls).toHaveLength(0)
  })

  it('rejects settings that the image model cannot have', async () => {
    const { post, upstream } = await start()
    const answer = await post(RESPONSES, { ...request, tools: [{ ...tool, background: 'transparent' }] })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('transparent')
    expect(upstream.calls).toHaveLength(0)
  })

  it('that fails is told to the model, with the reason if the content is refused', async () => {
    const refused = { error: { message: 'unsafe', code: 'moderation_blocked', type: 'image_generation_user_error' } }
    for (const [status, body, told] of [
      [400, refused, 'unsafe'],
      [500, { error: { message: 'secret of the provider' } }, 'The image could not be created.'],
    ] as const) {
      const { post, upstream, rows } = await start({ paint: (asked) => asked.answer(status, body) })
      const answer = (await (await post(RESPONSES, request)).json()) as { output: Json[] }
      expect(answer.output).toMatchObject([{ type: 'message' }])
      expect(JSON.stringify(upstream.calls[1]?.json())).toContain(told)
      expect(JSON.stringify(upstream.calls[1]?.json())).not.toContain('secret')
      expect(rows[0]).toMatchObject({ status: 200, usage: { input: 22, output: 14 } })
    }
  })

  it('is the provider’s where that runs it, unless the gateway’s is wished for', async () => {
    for (const own of [false, true]) {
      const upstream = await startUpstream((asked) => asked.answer(200, responsesAnswer()))
      const easel = await startUpstream(paintWell)
      const provider = responsesProvider(upstream.url)
      const chat = provider.chat?.map((support) => ({ ...support, facts: { imageTool: true } }))
      const { post } = await startGateway('node', {
        providers: [{ ...provider, chat: chat as never }, painter(easel.url)],
        ...(own && { hostedTools: { images: 'own' } }),
      })
      expect((await post(RESPONSES, request)).status).toBe(200)
      const sent = upstream.calls[0]?.json()['tools'] as Json[] | undefined
      expect(sent?.[0]?.['type']).toBe(own ? 'function' : 'image_generation')
    }
  })

  it('is never the gateway’s where that is switched off, without a model, or with a key that may not use the model', async () => {
    const noModel = { ...request, tools: [{ type: 'image_generation', model: 'gpt-image-2' }] }
    const cases: readonly [Partial<GatewayOptions>, object][] = [
      [{ hostedTools: { images: 'off' } }, request],
      [{}, noModel],
      [{ authenticate: () => ({ id: 'key-1', models: ['small'] }) }, request],
      [{ authenticate: () => ({ id: 'key-1', families: ['chat'] }) }, request],
    ]
    for (const [options, body] of cases) {
      const { post, easel, upstream } = await start({ options, script: () => [] })
      await post(RESPONSES, body)
      expect(easel.calls).toHaveLength(0)
      expect(JSON.stringify(upstream.calls[0]?.json() ?? {})).not.toContain('"prompt"')
    }
  })

  it.each([false, true])('makes images of chat completions that ask for them (stream: %s)', async (stream) => {
    const { post, upstream, easel } = await start({ options: { models: { image: ['easel/brush-1'] } } })
    const body = { ...chatRequest, model: 'small', modalities: ['image', 'text'], stream }
    const answer = await post(CHAT, body)
    expect(answer.status).toBe(200)
    const url = `data:image/png;base64,${B64}`
    if (stream) {
      const chunks = dataOf(await answer.text()) as { choices?: { delta?: { images?: Json[] } }[] }[]
      const images = chunks.flatMap(({ choices }) => choices?.[0]?.delta?.images ?? [])
      expect(images).toMatchObject([{ type: 'image_url', image_url: { url } }])
    } else {
      const { choices } = (await answer.json()) as { choices: { message: Json }[] }
      expect(choices[0]?.message).toMatchObject({
        content: 'Here it is.',
        images: [{ type: 'image_url', image_url: { url } }],
      })
    }
    expect(upstream.calls[0]?.json()).not.toHaveProperty('modalities')
    expect(easel.calls).toHaveLength(1)
  })

  it('does not stand in for a model that makes images itself, or is unknown', async () => {
    for (const known of [[{ id: 'small', outputs: ['text', 'image'] as const }], []]) {
      const upstream = await startUpstream((asked) => asked.answer(200, chatAnswer('Hi')))
      const easel = await startUpstream(paintWell)
      const { post } = await startGateway('node', {
        providers: [chatProvider(upstream.url, { known, claims: [/small/] }), painter(easel.url)],
        models: { image: ['easel/brush-1'] },
      })
      expect((await post(CHAT, { ...chatRequest, model: 'small', modalities: ['image', 'text'] })).status).toBe(200)
      expect(upstream.calls[0]?.json()).toMatchObject({ modalities: ['image', 'text'] })
    }
  })

  it('reserves each image before it is made, and makes none beyond the budget', async () => {
    // Three cents, and an image costs four.
    const budgets = memoryBudgets({
      budgets: [{ owner: 'key-1', name: 'team', limit: 30_000_000n, period: 'day', zone: 'UTC', counts: 'cost' }],
    })
    const { post, easel, upstream } = await start({
      options: { budgets },
      make: (url) =>
        chatProvider(url, {
          known: [{ id: 'small', output: 100, price: { id: 'test', input: 1_000_000, output: 1_000_000 } }],
        }),
    })
    const answer = (await (await post(RESPONSES, request)).json()) as { output: Json[] }
    expect(answer.output).toMatchObject([{ type: 'message' }])
    expect(upstream.calls).toHaveLength(2)
    expect(easel.calls).toHaveLength(0)
    expect(budgets.state()[0]).toMatchObject({ held: 0n })
  })
})
