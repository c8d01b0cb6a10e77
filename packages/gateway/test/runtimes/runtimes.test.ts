import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { CLOSED_ORIGIN, startUpstream, type Upstream } from '../support/upstream.ts'
import type { Counted } from './program.ts'
import { installRuntime, RUNTIMES, startRuntime } from './runtimes.ts'

const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'chat', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const FIRST = chunk({ role: 'assistant', content: 'Hel' })
const REST = [
  chunk({ content: 'lo.' }),
  chunk({}, 'stop'),
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'chat', choices: [], usage: ANSWER.usage })}\n\n`,
  'data: [DONE]\n\n',
]

const ask = (model: string, changes: object = {}) => ({
  model,
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hi.' }],
  ...changes,
})

describe.each(RUNTIMES)('The gateway in %s', { tags: ['full'] }, (runtime) => {
  interface Running {
    readonly upstream: Upstream
    post(path: string, body: object, init?: RequestInit): Promise<Response>
    /** Sends a request on a connection of its own, which can be reset. */
    send(path: string, body: object): Socket
    /** What the program has counted so far. */
    counted(): Promise<Counted>
  }

  async function start({ skip }: TestContext, patience = 60_000): Promise<Running> {
    const commands = installRuntime(runtime)
    if (commands === undefined) return skip(`${runtime} cannot be installed.`)
    const upstream = await startUpstream()
    const settings = { UPSTREAM: upstream.url, CLOSED: `${CLOSED_ORIGIN}/v1`, PATIENCE: String(patience) }
    const { url, stop } = await startRuntime(runtime, commands, join(import.meta.dirname, 'worker.ts'), settings)
    onTestFinished(stop)
    const headers = { authorization: 'Bearer sk-of-alice', 'content-type': 'application/json' }
    return {
      upstream,
      post: (path, body, init = {}) =>
        fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...init }),
      send(path, body) {
        const { port } = new URL(url)
        const socket = connect(Number(port), '127.0.0.1')
        const text = JSON.stringify(body)
        const head = Object.entries({ host: 'localhost', 'content-length': text.length, ...headers }).map((pair) =>
          pair.join(': '),
        )
        socket.on('error', () => {})
        socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${text}`)
        return socket
      },
      counted: async () => (await fetch(`${url}/counted`)).json() as Promise<Counted>,
    }
  }

  it('answers, whole and in pieces, as the provider did and translated', async (context) => {
    const { upstream, post, counted } = await start(context)
    const whole = post('/v1/chat/completions', ask('up/chat'))
    const call = await upstream.next()
    expect([call.path, call.headers.authorization, call.headers['accept-encoding'], call.json()['messages']]).toEqual([
      '/v1/chat/completions',
      'Bearer sk-up',
      'identity',
      [{ role: 'user', content: 'Hi.' }],
    ])
    call.answer(200, ANSWER)
    expect(await (await whole).json()).toMatchObject({ choices: ANSWER.choices })

    const translated = post('/v1/messages', ask('up/chat'))
    ;(await upstream.next()).answer(200, ANSWER)
    expect(await (await translated).json()).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello.' }],
    })

    for (const [path, last] of [
      ['/v1/chat/completions', 'data: [DONE]'],
      ['/v1/messages', 'event: message_stop'],
    ] as const) {
      const streamed = post(path, ask('up/chat', { stream: true }))
      const open = await upstream.next()
      open.head(200, { 'content-type': 'text/event-stream' })
      await open.write(FIRST)
      const reader = (await streamed).body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      // The first piece comes before the provider has sent the next.
      while (!text.includes('Hel')) text += (await reader?.read())?.value ?? ''
      for (const piece of REST) await open.write(piece)
      open.end()
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value
      expect(text).toContain('lo.')
      expect(text).toContain(last)
    }
    const served = 'up/chat served - 2 2000'
    expect(await counted()).toEqual({ rows: [served, served, served, served], spent: '8000', held: '0' })
  })

  it('reads what is compressed, and follows no redirect', async (context) => {
    const { upstream, post } = await start(context)
    const compressed = post('/v1/chat/completions', ask('up/chat'))
    const call = await upstream.next()
    call.head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    call.end(gzipSync(JSON.stringify(ANSWER)))
    expect(await (await compressed).json()).toMatchObject({ choices: ANSWER.choices })

    const redirected = post('/v1/chat/completions', ask('up/chat'))
    ;(await upstream.next()).answer(307, '', { location: '/elsewhere' })
    expect((await redirected).status).toBeGreaterThanOrEqual(500)
    expect(upstream.calls).toHaveLength(2)
  })

  it('says in the caller’s format when nobody listens, and when the provider is silent', async (context) => {
    const { upstream, post, counted } = await start(context, 300)
    const refused = await post('/v1/messages', ask('closed/chat'))
    expect([refused.status, await refused.json()]).toMatchObject([500, { type: 'error', error: { type: 'api_error' } }])

    const late = post('/v1/chat/completions', ask('up/chat'))
    const call = await upstream.next()
    expect([(await late).status, await (await late).json()]).toMatchObject([
      500,
      { error: { message: 'up: The provider did not begin its response in time.' } },
    ])
    await call.left

    const broken = post('/v1/chat/completions', ask('up/chat', { stream: true }))
    const open = await upstream.next()
    open.head(200, { 'content-type': 'text/event-stream' })
    await open.write(FIRST)
    expect(await (await broken).text()).toContain('"error"')
    await open.left
    const { rows } = await counted()
    // workerd does not say whether anything was sent.
    expect(rows[0]).toBe(`closed/chat failed upstream - ${runtime === 'bun' ? '0' : '-'}`)
    expect(rows.slice(1).map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual([
      'up/chat failed timeout',
      'up/chat cut timeout',
    ])
  })

  it('ends the call of a caller who leaves, and settles it', async (context) => {
    const { upstream, post, send, counted } = await start(context)
    const leaving = new AbortController()
    const streamed = post('/v1/chat/completions', ask('up/chat', { stream: true }), { signal: leaving.signal })
    const open = await upstream.next()
    open.head(200, { 'content-type': 'text/event-stream' })
    await open.write(FIRST)
    const reader = (await streamed).body?.getReader()
    await reader?.read()
    leaving.abort()
    // workerd notices it when it writes to the closed connection.
    let hasLeft = false
    void open.left.then(() => {
      hasLeft = true
    })
    while (!hasLeft) {
      open.fill(Buffer.from(REST[0] ?? ''))
      await turn()
    }
    await expect.poll(async () => (await counted()).rows[0]).toMatch(/^up\/chat canceled /)

    const socket = send('/v1/chat/completions', ask('up/chat'))
    const unanswered = await upstream.next()
    socket.resetAndDestroy()
    await unanswered.left
    await expect.poll(async () => (await counted()).rows[1]).toMatch(/^up\/chat canceled /)
  })

  it('refuses what the budget cannot pay for', async (context) => {
    const { upstream, post } = await start(context)
    const spending = post('/v1/chat/completions', ask('up/chat'))
    const usage = { prompt_tokens: 3, completion_tokens: 99_999, total_tokens: 100_002 }
    ;(await upstream.next()).answer(200, { ...ANSWER, usage })
    await (await spending).text()
    const refused = await post('/v1/chat/completions', ask('up/chat'))
    expect([refused.status, upstream.calls.length]).toEqual([429, 1])
  })
})
