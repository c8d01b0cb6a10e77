import { connect } from 'node:net'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chatProvider, KEY, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const answer = { id: '1', choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] }
const body = (more: string): string => `{"model":"small","messages":[{"role":"user","content":"x"}],"x":${more}}`
const objects = (count: number): string => `[${'{},'.repeat(count - 1)}{}]`
const errorOf = async (response: Response): Promise<[number, string]> => {
  const { error } = (await response.json()) as { error: { message: string } }
  return [response.status, error.message]
}

describe.each(SINKS)('A body that is dear to hold (%s)', (sink) => {
  it('has a limit of values, which is told', async () => {
    const upstream = await startUpstream((call) => call.answer(200, answer))
    const { post } = await startGateway(sink, { providers: [chatProvider(upstream.url)], limits: { values: 1000 } })
    expect((await post('/v1/chat/completions', body(objects(400)))).status).toBe(200)
    expect(await errorOf(await post('/v1/chat/completions', body(objects(1200))))).toEqual([
      400,
      expect.stringMatching(/more than 1000 values.*limits\.values/),
    ])
    expect(await errorOf(await post('/v1/chat/completions', objects(1_000_000)))).toEqual([
      400,
      expect.stringContaining('is an array'),
    ])
    expect((await post('/v1/chat/completions', body(JSON.stringify('{[,'.repeat(1000))))).status).toBe(200)
  })

  it('has a limit of object members, which the error names; elements of lists do not count', async () => {
    const upstream = await startUpstream((call) => call.answer(200, answer))
    const { post } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
    const members = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
    const send = (text: string): Promise<Response> => post('/v1/chat/completions', text)
    const refused = [400, expect.stringMatching(/more than 100000 object members.*limits\.members/)]
    expect(await errorOf(await send(body(`{${members(900_000)}}`)))).toEqual(refused)
    expect(await errorOf(await send(body(`[${'{"a":1},'.repeat(110_000)}1]`)))).toEqual(refused)
    expect(await errorOf(await send(`{${members(1_001)}}`))).toEqual([
      400,
      expect.stringContaining('more than 1000 fields'),
    ])
    expect((await send(body(`[${'1,'.repeat(500_000)}{"a":"${':'.repeat(200_000)}"}]`))).status).toBe(200)
    expect((await send(body(`{${members(90_000)}}`))).status).toBe(200)
  })

  it.each([
    ['gzip', gzipSync],
    // As servers compress: its default takes seconds for a few megabytes.
    ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['zstd', zstdCompressSync],
  ] satisfies [string, (text: string) => Buffer][])(
    'may be compressed, but not to nothing: %s',
    async (encoding, compress) => {
      const upstream = await startUpstream((call) => call.answer(200, answer))
      const { post } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
      const send = (text: string): Promise<Response> =>
        post('/v1/chat/completions', compress(text), { headers: { 'content-encoding': encoding } })
      const words = Array.from({ length: 200_000 }, (_, index) => `word ${(index * 7919) % 99_991}`).join(' ')
      expect((await send(body(JSON.stringify(words)))).status).toBe(200)
      expect(await errorOf(await send(body(JSON.stringify('a'.repeat(20_000_000)))))).toEqual([
        413,
        expect.stringContaining('more than 100 times its size'),
      ])
      expect(await errorOf(await send(body(objects(300_000))))).toEqual([
        400,
        expect.stringContaining('The limit of compressed bodies is lower'),
      ])
    },
  )

  it('waits for others to end: 429 with retry-after, until there is room', async () => {
    const upstream = await startUpstream()
    const { post, access } = await startGateway(sink, {
      providers: [chatProvider(upstream.url)],
      limits: { memory: 200_000 },
    })
    const large = body(JSON.stringify('a'.repeat(60_000)))
    const first = post('/v1/chat/completions', large)
    const call = await upstream.next()
    const refused = await post('/v1/chat/completions', large)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    const small = post('/v1/chat/completions', body('1'))
    ;(await upstream.next()).answer(200, answer)
    expect((await small).status).toBe(200)
    call.answer(200, answer)
    expect((await first).status).toBe(200)
    // Three requests have ended, and given back what they held.
    for (let ended = 0; ended < 3; ended++) await access.next()
    const again = post('/v1/chat/completions', large)
    ;(await upstream.next()).answer(200, answer)
    expect((await again).status).toBe(200)
  })

  it('gives its room back when it is refused', async () => {
    const upstream = await startUpstream((call) => call.answer(200, answer))
    const { post } = await startGateway(sink, { providers: [chatProvider(upstream.url)], limits: { memory: 200_000 } })
    const broken = `${body(JSON.stringify('a'.repeat(60_000)))}}`
    for (let round = 0; round < 5; round++) expect((await post('/v1/chat/completions', broken)).status).toBe(400)
    expect((await post('/v1/chat/completions', body(JSON.stringify('a'.repeat(60_000))))).status).toBe(200)
  })

  it("has a model's name of 512 characters at most, in a path as well", async () => {
    const { post } = await startGateway(sink, { providers: [chatProvider('http://127.0.0.1:9')] })
    const sent = (name: string): string => JSON.stringify({ model: name, messages: [{ role: 'user', content: 'x' }] })
    expect(await errorOf(await post('/v1/chat/completions', sent('a'.repeat(513))))).toEqual([
      400,
      expect.stringContaining('longer than 512 characters'),
    ])
    expect((await errorOf(await post('/v1/chat/completions', sent('a'.repeat(512)))))[1]).toContain(
      'No provider lists the model',
    )
    const inPath = await post(`/v1beta/models/${'a'.repeat(513)}:generateContent`, { contents: [] })
    expect(await errorOf(inPath)).toEqual([400, expect.stringContaining('longer than 512 characters')])
  })
})

describe('A body that loses very much in translation', () => {
  it('is served, and its row counts all of it', async () => {
    const candidates = [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }]
    const upstream = await startUpstream((call) => call.answer(200, { candidates }))
    const { post, rows } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { chat: [{ format: 'generate-content', path: () => '/generate' }] })],
      limits: { members: 1_000_000 },
    })
    const part = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }
    const content = Array.from({ length: 140_000 }, () => part)
    const response = await post('/v1/chat/completions', { model: 'small', messages: [{ role: 'user', content }] })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([
      200,
      'messages[*].content[*].cache_control',
    ])
    expect(rows[0]?.losses).toHaveLength(1001)
    expect(rows[0]?.losses.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(140_000)
  })
})

describe('A body that is still coming', () => {
  it('holds room from its first byte, and gives it back when its caller leaves', async () => {
    const upstream = await startUpstream((call) => call.answer(200, answer))
    const { port, post, gateway } = await startGateway('node', {
      providers: [chatProvider(upstream.url)],
      limits: { memory: 200_000 },
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-length: 90000\r\n\r\n${' '.repeat(80_000)}`,
    )
    const large = body(JSON.stringify('a'.repeat(60_000)))
    await expect.poll(async () => (await post('/v1/chat/completions', large)).status).toBe(429)
    socket.destroy()
    await expect.poll(() => gateway.inFlight()).toBe(0)
    expect((await post('/v1/chat/completions', large)).status).toBe(200)
  })
})
