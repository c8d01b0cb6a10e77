import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { ModerationsSupport, ProviderInstance } from '../../../core/src/provider.ts'
import { KEY, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** Responses are written from https://platform.openai.com/docs/api-reference/moderations. */

const RESULT = {
  flagged: true,
  categories: { violence: true, hate: false },
  category_scores: { violence: 0.9, hate: 0.1 },
}
/** Categories of the wire that the model does not classify. */
const NULLS = {
  harassment: null,
  'harassment/threatening': null,
  'hate/threatening': null,
  illicit: null,
  'illicit/violent': null,
  'self-harm': null,
  'self-harm/instructions': null,
  'self-harm/intent': null,
  sexual: null,
  'sexual/minors': null,
  'violence/graphic': null,
}
const IMAGE = { type: 'image_url', image_url: { url: 'https://files.example/a.png' } } as const

function judge(baseUrl: string, own: Partial<ModerationsSupport> = {}): ProviderInstance {
  const known = [
    {
      id: 'judge-1',
      families: ['moderations'],
      price: { id: 'list@today', input: 0, output: 0, units: { moderations: 3_000_000 } },
    },
  ]
  const server = openAICompatibleServer({ baseUrl, apiKey: SECRET, moderations: true, models: false, known })
  const moderations = server.moderations && Object.assign({}, server.moderations, own)
  return { name: 'alpha', claims: [], ...server, moderations }
}

async function served(handler: (call: UpstreamCall) => void, own: Partial<ModerationsSupport> = {}) {
  const upstream = await startUpstream(handler)
  const models = { moderation: ['alpha/judge-1'] }
  const gateway = await startGateway('node', { providers: [judge(upstream.url, own)], models })
  const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${gateway.port}/v1`, maxRetries: 0 })
  return { upstream, client, ...gateway }
}

describe('Moderations', () => {
  it('pass unchanged except for the model, and count contents', async () => {
    const { client, upstream, rows } = await served((call) =>
      call.answer(200, { id: 'modr-1', model: 'judge-1-2026', results: [RESULT, RESULT] }),
    )
    const answer = await client.moderations.create({ input: ['one', 'two'] })
    expect(answer).toEqual({ id: 'modr-1', model: 'judge-1-2026', results: [RESULT, RESULT] })
    expect(upstream.calls[0]?.json()).toEqual({ input: ['one', 'two'], model: 'judge-1' })
    expect(rows).toMatchObject([
      { family: 'moderations', usage: { units: { moderations: 2 } }, cost: 6, billed: true, translated: false },
    ])
  })

  it('are written for providers of another wire', async () => {
    const { client, upstream } = await served((call) => call.answer(200, { results: [RESULT] }), { native: undefined })
    const answer = await client.moderations.create({ model: 'judge-1', input: 'one' })
    expect(upstream.calls[0]?.json()).toEqual({ model: 'judge-1', input: [{ type: 'text', text: 'one' }] })
    expect(answer).toEqual({
      id: expect.stringMatching(/^req_/),
      model: 'judge-1',
      results: [{ ...RESULT, categories: { ...NULLS, ...RESULT.categories } }],
    })
  })

  it.each([
    ['no results', { results: [] }],
    ['a result without categories', { results: [{ flagged: false, categories: {}, category_scores: {} }] }],
    ['fewer results', { results: [RESULT], model: 'x' }, ['one', 'two']],
    ['something else', { ok: true }],
    ['an error with status 200', { error: { message: 'overloaded' } }],
  ])('never look harmless after %s', async (_, body, input: string | string[] = 'one') => {
    for (const own of [{}, { native: undefined }]) {
      const { client, rows } = await served((call) => call.answer(200, body), own)
      await expect(client.moderations.create({ model: 'judge-1', input })).rejects.toMatchObject({ status: 500 })
      expect(rows).toMatchObject([{ billed: false, why: 'failed' }])
    }
  })

  it('take several calls where a call has few contents, in their order, and one failure fails all', async () => {
    const flaggedIf = (text: string) => {
      const isBad = text === 'bad'
      return { flagged: isBad, categories: { hate: isBad }, category_scores: { hate: 0.5 } }
    }
    const batched = (status: number) =>
      served(
        (call) => {
          const texts = [call.json()['input']]
            .flat()
            .map((one) => (typeof one === 'string' ? one : (one as { text: string }).text))
          if (texts.includes('fail')) return call.answer(status, { error: { message: 'x' } })
          call.answer(200, { results: texts.map(flaggedIf) })
        },
        { batch: 2 },
      )
    const { client, upstream, rows } = await batched(200)
    const input = ['a', 'bad', 'c', 'd', 'bad']
    const { results } = await client.moderations.create({ model: 'judge-1', input })
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true, false, false, true])
    expect(upstream.calls).toHaveLength(3)
    expect(rows).toMatchObject([{ usage: { units: { moderations: 5 } }, cost: 15, attempts: [{}, {}, {}] }])
    const failing = await batched(400)
    await expect(
      failing.client.moderations.create({ model: 'judge-1', input: ['a', 'b', 'fail'] }),
    ).rejects.toMatchObject({ status: 400 })
  })

  it('refuse models that do not classify', async () => {
    const { client, upstream } = await served((call) => call.answer(200, {}), { serves: (model) => model === 'other' })
    await expect(client.moderations.create({ model: 'judge-1', input: 'x' })).rejects.toMatchObject({ status: 400 })
    expect(upstream.calls).toEqual([])
  })

  it('refuse images where the model classifies only text', async () => {
    const { client, upstream } = await served((call) => call.answer(200, { results: [RESULT] }))
    await expect(client.moderations.create({ model: 'judge-1', input: [IMAGE] })).rejects.toMatchObject({
      status: 400,
      param: 'input',
    })
    expect(upstream.calls).toEqual([])
    const seeing = await served((call) => call.answer(200, { results: [RESULT] }), { images: true })
    await seeing.client.moderations.create({ model: 'judge-1', input: [{ type: 'text', text: 'x' }, IMAGE] })
    expect(seeing.upstream.calls[0]?.json()['input']).toEqual([{ type: 'text', text: 'x' }, IMAGE])
  })

  it.each([[undefined], [[]], [7], [['a', 7]], [[{ type: 'audio' }]]])(
    'name the field of an invalid input: %j',
    async (input) => {
      const { post } = await served((call) => call.answer(200, { results: [RESULT] }))
      const answer = await post('/v1/moderations', { model: 'judge-1', input })
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'input' } }])
    },
  )
})
