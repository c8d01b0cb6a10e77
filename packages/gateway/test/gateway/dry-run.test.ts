import { describe, expect, it } from 'vitest'
import { CHAT, chatRequest, MESSAGES, messagesRequest } from '../../../core/test/support/wire.ts'
import { dryRunSchema } from '../../src/serve/dry-run-schema.ts'
import { MODEL, server } from '../support/embeddings.ts'
import { failing, good } from '../support/fleet.ts'
import { chatProvider, messagesProvider, type RunningGateway, startGateway } from '../support/gateway.ts'
import { GENERATE, generateProvider, image, say, startFiles } from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'

const DRY = { headers: { 'headgate-dry-run': 'true' } }
const price = { id: 'list@today', input: 1_000_000_000, output: 2_000_000_000 }
const known = [{ id: 'small', price, output: 100 }]

/** The answer to a dry run, which is of its schema. */
async function dry(
  { post }: Pick<RunningGateway, 'post'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const response = await post(path, body, { headers: { ...DRY.headers, ...headers } })
  expect([response.status, response.headers.get('headgate-dry-run')]).toEqual([200, 'true'])
  expect(response.headers.get('content-type')).toBe('application/json')
  return dryRunSchema.strict().parse(await response.json())
}

describe('A dry run', () => {
  it('names who would be asked, in order, with what each would lose and cost at most, and asks nobody', async () => {
    const [first, second] = [await startUpstream(good), await startUpstream(good)]
    const gateway = await startGateway('node', {
      providers: [messagesProvider(first.url, { known }), chatProvider(second.url, { name: 'beta', known })],
    })
    const body = { ...chatRequest, logit_bias: { 50: 1 }, max_completion_tokens: 10 }
    const bytes = Buffer.byteLength(JSON.stringify(body))
    expect(await dry(gateway, CHAT, body)).toEqual({
      object: 'headgate.dry_run',
      policy: 'priority',
      family: 'chat',
      model: 'small',
      candidates: [
        {
          provider: 'beta',
          model: 'small',
          healthy: true,
          endpoint: null,
          why: expect.any(String),
          refused: null,
          way: 'bytes',
          losses: [],
          fetches: [],
          price: 'list@today',
          most: { input: bytes, output: 10 },
          bound: `0.00${((bytes + 20) * 1_000).toString().padStart(7, '0')}`.replace(/0+$/, ''),
          budget: null,
        },
        {
          provider: 'alpha',
          model: 'small',
          healthy: true,
          endpoint: null,
          why: expect.any(String),
          refused: null,
          way: 'translated',
          fetches: [],
          price: 'list@today',
          losses: [{ path: 'logit_bias', kind: 'dropped', reason: expect.any(String) }],
          most: { input: bytes, output: 10 },
          bound: expect.stringMatching(/^0\.000\d+$/),
          budget: null,
        },
      ],
    })
    expect([first.calls, second.calls, gateway.rows]).toEqual([[], [], []])
    const record = await gateway.access.next()
    expect([record.status, record.usage]).toEqual([200, undefined])
  })

  it('says of streams, and of callers of the other formats, the same', async () => {
    const upstream = await startUpstream(good)
    const gateway = await startGateway('node', { providers: [chatProvider(upstream.url, { known })] })
    const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
    const ways = [
      await dry(gateway, CHAT, { ...chatRequest, stream: true }),
      await dry(gateway, MESSAGES, messagesRequest),
      await dry(gateway, GENERATE, contents),
      await dry(gateway, '/v1beta/models/small:streamGenerateContent', contents),
    ]
    expect(ways.map(({ candidates }) => candidates.map(({ way, most }) => [way, most?.['output']]))).toEqual([
      [['bytes', 100]],
      [['translated', 64]],
      [['translated', 100]],
      [['translated', 100]],
    ])
    expect(upstream.calls).toEqual([])
  })

  it('says null of a bound that nobody knows', async () => {
    const gateway = await startGateway('node', {
      providers: [
        chatProvider('http://127.0.0.1:9'),
        chatProvider('http://127.0.0.1:9', { name: 'beta', known: [{ id: 'small', price }] }),
      ],
    })
    const { candidates } = await dry(gateway, CHAT, { ...chatRequest, max_tokens: 5 })
    expect(candidates).toMatchObject([
      { price: null, most: { output: 5 }, bound: null },
      { price: 'list@today', bound: expect.any(String) },
    ])
    const unlimited = await dry(gateway, CHAT, chatRequest)
    expect(unlimited.candidates).toMatchObject([
      { most: { input: 64 }, bound: null },
      { most: { input: 64 }, bound: null },
    ])
    expect(unlimited.candidates.map(({ most }) => most)).not.toContainEqual(
      expect.objectContaining({ output: expect.anything() }),
    )
  })

  it('names those that can not carry the request last, with why', async () => {
    const blind = { known: [{ id: 'small', inputs: ['text' as const] }] }
    const providers = [
      chatProvider('http://127.0.0.1:9', { ...blind, chat: [{ format: 'messages', path: () => '/m' }] }),
      chatProvider('http://127.0.0.1:9', { name: 'beta' }),
    ]
    const gateway = await startGateway('node', { providers })
    const { candidates } = await dry(gateway, CHAT, {
      model: 'small',
      messages: say(image('https://example.com/a.png')).messages,
    })
    expect(candidates).toMatchObject([
      { provider: 'beta', refused: null },
      {
        provider: 'alpha',
        refused: {
          kind: 'invalid-request',
          message: expect.stringContaining('image'),
          param: 'messages[0].content[1]',
        },
        way: null,
        losses: [],
        bound: null,
      },
    ])
  })

  it('says who failed lately, and comes last', async () => {
    const [bad, fine] = [await startUpstream(failing(429)), await startUpstream(good)]
    const gateway = await startGateway('node', {
      providers: [chatProvider(bad.url), chatProvider(fine.url, { name: 'beta' })],
    })
    await gateway.post(CHAT, chatRequest)
    const { candidates } = await dry(gateway, CHAT, chatRequest)
    expect(candidates.map(({ provider, healthy }) => [provider, healthy])).toEqual([
      ['beta', true],
      ['alpha', false],
    ])
  })

  it('fetches nothing, and names what would be fetched', async () => {
    const { files, options } = await startFiles()
    const gateway = await startGateway('node', {
      providers: [generateProvider('http://127.0.0.1:9', { imageUrls: false })],
      ...options,
    })
    const { candidates } = await dry(gateway, CHAT, say(image(`${files.origin}/a.png`)))
    expect(candidates).toMatchObject([{ way: 'translated', fetches: ['messages[0].content[1].image_url'] }])
    expect(files.calls).toEqual([])
  })

  it('is refused as the request would be, in the shape of its format', async () => {
    const gateway = await startGateway('node', { providers: [chatProvider('http://127.0.0.1:9')] })
    const refused = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const given = { ...DRY.headers, ...headers }
      const [really, dryly] = [
        await gateway.post(path, body, { headers }),
        await gateway.post(path, body, { headers: given }),
      ]
      const [one, other] = [JSON.stringify(await really.json()), JSON.stringify(await dryly.json())]
      expect([dryly.status, other.replaceAll(/req_\w+/g, '')]).toEqual([really.status, one.replaceAll(/req_\w+/g, '')])
      return [dryly.status, other]
    }
    expect(await refused(CHAT, { messages: [] })).toEqual([400, expect.stringContaining('"param":"model"')])
    expect(await refused(CHAT, { ...chatRequest, model: 'nobody-has-it' })).toEqual([
      400,
      expect.stringContaining('model_not_found'),
    ])
    expect(await refused(CHAT, { model: 'small' })).toEqual([400, expect.stringContaining('"param":"messages"')])
    expect(await refused(MESSAGES, { ...messagesRequest, messages: 7 })).toEqual([
      400,
      expect.stringContaining('"type":"error"'),
    ])
    expect(await refused(CHAT, chatRequest, { authorization: 'Bearer wrong' })).toEqual([401, expect.any(String)])
    expect(await refused(CHAT, { ...chatRequest, model: 'x' }, { authorization: 'Bearer sk-limited' })).toEqual([
      403,
      expect.any(String),
    ])
    expect(await refused(CHAT, chatRequest, { 'headgate-timeout-ms': 'soon' })).toEqual([
      400,
      expect.stringContaining('headgate-timeout-ms'),
    ])
    const lossy = { ...messagesRequest, top_k: 5 }
    expect(await refused(MESSAGES, lossy, { 'headgate-strict': 'true' })).toEqual([
      400,
      expect.stringContaining('top_k (dropped'),
    ])
  })

  it('is asked for by true and nothing else, and not where there is none', async () => {
    const upstream = await startUpstream(good)
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const ask = async (value: string, path = CHAT, body: unknown = chatRequest) => {
      const answer = await post(path, body, { headers: { 'headgate-dry-run': value } })
      return [answer.status, JSON.stringify(await answer.json())]
    }
    expect(await ask('perhaps')).toEqual([400, expect.stringContaining('must be true or false')])
    expect(await ask('false')).toEqual([200, expect.stringContaining('chat.completion')])
    expect(upstream.calls).toHaveLength(1)
    expect(await ask(' TRUE ')).toEqual([200, expect.stringContaining('headgate.dry_run')])
    expect(await ask('true', '/v1/messages/count_tokens', messagesRequest)).toEqual([
      400,
      expect.stringContaining('does not support dry runs'),
    ])
    expect(upstream.calls).toHaveLength(1)
  })

  it('tells of vectors', async () => {
    const gateway = await startGateway('node', { providers: [server('http://127.0.0.1:9')] })
    const body = { model: 'embed-1', input: ['a', 'b'] }
    const bytes = Buffer.byteLength(JSON.stringify(body))
    expect(await dry(gateway, '/v1/embeddings', body)).toMatchObject({
      family: 'embeddings',
      candidates: [
        {
          provider: 'alpha',
          model: MODEL.id,
          way: 'bytes',
          most: { input: bytes, output: 0 },
          bound: `0.000000${bytes * 2}`.replace(/0+$/, ''),
        },
      ],
    })
    expect(gateway.rows).toEqual([])
  })
})
