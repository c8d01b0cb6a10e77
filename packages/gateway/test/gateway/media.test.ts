import { describe, expect, it } from 'vitest'
import { PDF, PNG } from '../../../core/test/support/media.ts'
import { CHAT, chatAnswer, MESSAGES, messagesAnswer, messagesRequest } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import {
  BIG,
  GENERATE,
  generateAnswer,
  generateProvider,
  INLINE_PDF,
  INLINE_PNG,
  image,
  partsOf,
  say,
  serve,
  startFiles,
} from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'

interface Failure {
  error: { message: string; param?: string | null }
}

describe('An image or PDF by URL', () => {
  it('is fetched and inlined where the provider takes no URLs (157)', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post, rows } = await startGateway('node', { providers: [generateProvider(upstream.url)], ...options })
    const pdf = { type: 'file', file: { file_data: `${files.origin}/b.pdf` } }
    const response = await post(CHAT, say(image(`${files.origin}/a.png`), pdf))
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: 'Hi there' } }] },
    ])
    expect(partsOf(upstream.calls[0])).toEqual([
      { text: 'What?' },
      { inlineData: INLINE_PNG },
      { inlineData: INLINE_PDF },
    ])
    expect(upstream.calls[0]?.body.toString()).not.toContain('fileData')
    expect(rows[0]?.losses).toEqual([])
  })

  it('is passed on where the provider takes it, and fetched where it does not: messages take https only (156)', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, messagesAnswer()))
    const { post } = await startGateway('node', { providers: [messagesProvider(upstream.url)], ...options })
    await post(CHAT, say(image('https://example.com/a.png'), image(`${files.origin}/a.png`)))
    expect(upstream.calls[0]?.json()['messages']).toMatchObject([
      {
        content: [
          { type: 'text' },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') } },
        ],
      },
    ])
    expect(files.calls).toHaveLength(1)
  })

  it('is never fetched where it is the provider’s own: a file of its store, a film of YouTube (158)', async () => {
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post } = await startGateway('node', {
      providers: [generateProvider(upstream.url)],
      responses: { foreignIds: 'allow' },
    })
    const uris = [
      'https://generativelanguage.googleapis.com/v1beta/files/abc',
      'gs://bucket/a.png',
      'https://www.youtube.com/watch?v=abc',
      'https://youtu.be/abc',
    ]
    const response = await post(CHAT, say(...uris.map(image)))
    expect([response.status, await response.json()]).toMatchObject([200, {}])
    expect(partsOf(upstream.calls[0]).slice(1)).toMatchObject(uris.map((fileUri) => ({ fileData: { fileUri } })))
  })

  it('goes from messages to chat completions: images as they are, PDFs inlined with their title', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)], ...options })
    const content = [
      { type: 'image', source: { type: 'url', url: 'http://example.com/a.png' } },
      { type: 'document', title: 'Report', source: { type: 'url', url: `${files.origin}/b.pdf` } },
    ]
    await post(MESSAGES, { ...messagesRequest, messages: [{ role: 'user', content }] })
    expect(upstream.calls[0]?.json()['messages']).toMatchObject([
      {
        content: [
          image('http://example.com/a.png'),
          {
            type: 'file',
            file: { filename: 'Report', file_data: `data:application/pdf;base64,${PDF.toString('base64')}` },
          },
        ],
      },
    ])
  })

  it('within the result of a tool is inlined too, under its own path', async () => {
    const { files, options } = await startFiles((call) =>
      call.path === '/a.png' ? serve(call) : call.answer(404, 'no'),
    )
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post } = await startGateway('node', { providers: [generateProvider(upstream.url)], ...options })
    const ask = (path: string) =>
      post(MESSAGES, {
        ...messagesRequest,
        tools: [{ name: 'look', input_schema: { type: 'object' } }],
        messages: [
          { role: 'user', content: 'Look.' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'toolu_1',
                content: [{ type: 'image', source: { type: 'url', url: `${files.origin}${path}` } }],
              },
            ],
          },
        ],
      })
    expect((await ask('/a.png')).status).toBe(200)
    expect(upstream.calls[0]?.body.toString()).toContain(PNG.toString('base64'))
    const { error } = (await (await ask('/b.png')).json()) as Failure
    expect(error.message).toContain('messages[2].content[0].content[0].source.url cannot be fetched')
  })

  it('is inlined for callers of the provider’s own format as well, where it is known to take none', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post, rows } = await startGateway('node', { providers: [generateProvider(upstream.url)], ...options })
    const body = (fileUri: string) => ({
      contents: [{ role: 'user', parts: [{ text: 'What?' }, { fileData: { fileUri } }] }],
      future: 1,
    })
    const response = await post(GENERATE, body(`${files.origin}/a.png`))
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { candidates: [{ content: { parts: [{ text: 'Hi there' }] } }] },
    ])
    expect(upstream.calls[0]?.json()).toMatchObject({
      contents: [{ parts: [{ text: 'What?' }, { inlineData: INLINE_PNG }] }],
      future: 1,
    })
    await post(GENERATE, body('https://youtu.be/abc'))
    expect(upstream.calls[1]?.json()).toEqual(body('https://youtu.be/abc'))
    expect(rows.map(({ translated }) => translated)).toEqual([true, false])
  })

  it('passes untouched in the provider’s own format where nothing is known of it', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const body = JSON.stringify(
      say(image('http://127.0.0.1:1/a.png'), { type: 'file', file: { file_data: 'http://127.0.0.1:1/b.pdf' } }),
    )
    await post(CHAT, body)
    expect(upstream.calls[0]?.body.toString()).toBe(body)
  })

  it('is fetched once, however often it stands there and however many providers are tried', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) =>
      upstream.calls.length > 2 ? call.answer(200, generateAnswer) : call.answer(503, {}),
    )
    const providers = ['alpha', 'beta'].map((name) => generateProvider(upstream.url, { imageUrls: false }, { name }))
    const { post, rows } = await startGateway('node', { providers, ...options })
    const response = await post(
      CHAT,
      say(image(`${files.origin}/a.png`), image(`${files.origin}/a.png`), image(`${files.origin}/b.png`)),
    )
    expect(response.status).toBe(200)
    expect(files.calls.map(({ path }) => path).sort()).toEqual(['/a.png', '/b.png'])
    expect(rows[0]?.attempts.map(({ provider }) => provider)).toEqual(['alpha', 'beta', 'alpha'])
    expect(upstream.calls.map((call) => partsOf(call).length)).toEqual([4, 4, 4])
  })

  it('goes rather to a provider that takes it, and is fetched only when that one fails', async () => {
    const { files, options } = await startFiles()
    const inliner = await startUpstream((call) => call.answer(200, generateAnswer))
    const taker = await startUpstream((call) =>
      call.answer(...((taker.calls.length === 1 ? [200, chatAnswer()] : [500, {}]) as [number, unknown])),
    )
    const providers = [generateProvider(inliner.url), chatProvider(taker.url, { name: 'beta' })]
    const { post } = await startGateway('node', { providers, ...options })
    const served = async (vendor = 'auto') =>
      (await post(CHAT, say(image(`${files.origin}/a.png`)), { headers: { vendor } })).headers.get('headgate-vendor')
    expect(await served()).toBe('beta')
    expect(files.calls).toHaveLength(0)
    expect(await served()).toBe('alpha')
    expect(await served('alpha')).toBe('alpha')
    expect(files.calls).toHaveLength(2)
  })

  it('is a 400 that names the field when it can not be had, and no provider is asked, nor a row written (160, 161)', async () => {
    const { files } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post, rows } = await startGateway('node', { providers: [generateProvider(upstream.url)] })
    const response = await post(CHAT, say(image(`${files.origin}/a.png?X-Amz-Signature=secret`)))
    const { error } = (await response.json()) as Failure
    expect([response.status, error.param]).toEqual([400, 'messages[0].content[1].image_url'])
    expect(error.message).toBe(
      `messages[0].content[1].image_url cannot be fetched from ${files.origin}/a.png: the host 127.0.0.1 has no public address. Fix the URL, or send the content as base64.`,
    )
    expect([files.calls.length, upstream.calls.length, rows.length]).toEqual([0, 0, 0])
  })

  it('has limits: of each, and of all those of a request', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const start = (limits: GatewayOptions['limits']) =>
      startGateway('node', { providers: [generateProvider(upstream.url)], ...options, ...(limits && { limits }) })
    const messageOf = async ({ post }: Awaited<ReturnType<typeof start>>, count: number, query = '') => {
      const urls = Array.from({ length: count }, (_, index) => `${files.origin}/${index}${query}`)
      const response = await post(CHAT, say(...urls.map(image)))
      return response.status === 200 ? 'served' : ((await response.json()) as Failure).error.message
    }
    expect(await messageOf(await start({ media: PNG.length }), 1)).toBe('served')
    expect(await messageOf(await start({ media: PNG.length - 1 }), 1)).toContain(
      `it has more than ${PNG.length - 1} bytes`,
    )
    expect(await messageOf(await start({ body: 4 * BIG.length }), 4, '?big')).toBe('served')
    expect(await messageOf(await start({ body: 4 * BIG.length }), 5, '?big')).toContain(
      `larger than ${4 * BIG.length} bytes`,
    )
    expect(await messageOf(await start({}), 101)).toContain(
      'A request can have at most 100 media URLs that must be fetched; this one has 101. Send fewer URLs, or send media as base64.',
    )
  })

  it('is not fetched for a request that is refused anyway, or that loses more than it may', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const providers = [
      generateProvider(upstream.url, { imageUrls: false }, { known: [{ id: 'small', inputs: ['text', 'image'] }] }),
    ]
    const { post } = await startGateway('node', { providers, ...options })
    const pdf = { type: 'file', file: { file_data: `${files.origin}/b.pdf` } }
    const strict = { headers: { 'headgate-strict': 'true' } }
    expect((await post(CHAT, say(pdf))).status).toBe(400)
    expect((await post(CHAT, { ...say(image(`${files.origin}/a.png`)), logit_bias: { 50: 1 } }, strict)).status).toBe(
      400,
    )
    expect(files.calls).toHaveLength(0)
    // What only its content tells is told then.
    const { error } = (await (await post(CHAT, say(image(`${files.origin}/b.pdf`)))).json()) as Failure
    expect(error.message).toContain('does not support pdf input')
    expect([files.calls.length, upstream.calls.length]).toEqual([1, 0])
  })

  it('that the provider’s model does not know is refused by us (154)', async () => {
    const { files, options } = await startFiles((call) => {
      call.head(200, { 'content-type': 'image/svg+xml' })
      call.end('<svg/>')
    })
    const upstream = await startUpstream((call) => call.answer(200, messagesAnswer()))
    const { post } = await startGateway('node', { providers: [messagesProvider(upstream.url)], ...options })
    const response = await post(CHAT, say(image(`${files.origin}/a.svg`)))
    const { error } = (await response.json()) as Failure
    expect([response.status, error.message]).toEqual([400, expect.stringContaining('image/svg+xml')])
    expect(upstream.calls).toHaveLength(0)
  })

  it('is fetched four at a time', async () => {
    const { files, options } = await startFiles(() => {})
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post } = await startGateway('node', { providers: [generateProvider(upstream.url)], ...options })
    const answer = post(CHAT, say(...Array.from({ length: 9 }, (_, index) => image(`${files.origin}/${index}`))))
    const open = [await files.next(), await files.next(), await files.next(), await files.next()]
    for (let left = 5; left > 0; left--) {
      expect(files.calls).toHaveLength(9 - left)
      const done = open.shift()
      if (done) serve(done)
      open.push(await files.next())
    }
    for (const call of open) serve(call)
    expect((await answer).status).toBe(200)
  })

  it('is given up when the first of several fails', async () => {
    const { files, options } = await startFiles(() => {})
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post } = await startGateway('node', { providers: [generateProvider(upstream.url)], ...options })
    const answer = post(CHAT, say(image(`${files.origin}/a.png`), image(`${files.origin}/b.png`)))
    const [first, second] = [await files.next(), await files.next()]
    const [slow, gone] = first.path === '/a.png' ? [first, second] : [second, first]
    gone.answer(404, 'no')
    await slow.left
    const { error } = (await (await answer).json()) as Failure
    expect(error.param).toBe('messages[0].content[2].image_url')
  })

  it('is given up when the caller leaves, and when the deadline passes', async () => {
    const { files, options } = await startFiles(() => {})
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post, rows, access } = await startGateway('node', {
      providers: [generateProvider(upstream.url)],
      ...options,
    })
    const abort = new AbortController()
    const leaving = post(CHAT, say(image(`${files.origin}/a.png`)), { signal: abort.signal }).catch(() => 'left')
    const call = await files.next()
    abort.abort()
    await Promise.all([leaving, call.left])
    expect((await access.next()).status).toBe(499)

    const late = await post(CHAT, say(image(`${files.origin}/a.png`)), { headers: { 'headgate-timeout-ms': '500' } })
    expect([late.status, await late.json()]).toMatchObject([
      500,
      { error: { message: expect.stringContaining('exceeded its time limit') } },
    ])
    await (await files.next()).left
    expect([upstream.calls.length, rows.length]).toEqual([0, 0])
  })

  it('counts as what it is where tokens are counted', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, { totalTokens: 258 }))
    const countTokens: NonNullable<ProviderInstance['countTokens']> = {
      request: ({ body }) => ({ method: 'POST', url: '/count', body: { json: body } }),
      response: ({ body }) => (body as { totalTokens: number }).totalTokens,
    }
    const providers = [generateProvider(upstream.url, { imageUrls: false }, { countTokens })]
    const { post } = await startGateway('node', { providers, ...options })
    const content = [{ type: 'image', source: { type: 'url', url: `${files.origin}/a.png` } }]
    const response = await post(`${MESSAGES}/count_tokens`, {
      ...messagesRequest,
      messages: [{ role: 'user', content }],
    })
    expect(await response.json()).toEqual({ input_tokens: 258 })
    expect(partsOf(upstream.calls[0])).toEqual([{ inlineData: INLINE_PNG }])
  })
})
