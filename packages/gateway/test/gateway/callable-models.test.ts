import { describe, expect, it } from 'vitest'
import { openAICompatibleServer, readModel } from '../../../core/src/openai-compatible.ts'
import { object, objects } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import type { ModelFacts, ProviderInstance } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { taskOptions, videoProvider } from '../video/support.ts'

const models: NonNullable<ProviderInstance['models']> = {
  request: () => ({ method: 'GET', url: '/models' }),
  response: ({ body }) => objects(object(body)?.['data']).flatMap((entry) => readModel(entry) ?? []),
}

const list = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id })) })

/** A provider whose list is what `answer` says at the time, and which serves whatever it is asked. */
const listing =
  (answer: () => unknown) =>
  (call: UpstreamCall): unknown =>
    call.method === 'POST' ? call.answer(200, chatAnswer()) : call.answer(200, answer())

describe('What the list of models says', () => {
  it('is no model that nothing here can be asked of', async () => {
    const upstream = await startUpstream()
    const known: ModelFacts[] = [
      { id: 'talker', families: ['chat', 'images'] },
      { id: 'painter', families: ['images'] },
      { id: 'embedder', families: ['embeddings'] },
      { id: 'filmer', families: ['video'] },
    ]
    const films = videoProvider(upstream.url)
    const providers = [chatProvider(upstream.url, { known, ...(films.video && { video: films.video }) }), films]
    const models = { paint: ['painter'], talk: ['painter', 'talker'] }
    const idsOf = async ({ call }: Awaited<ReturnType<typeof startGateway>>) => {
      const { data } = (await (await call('/v1/models')).json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    }
    const without = await startGateway('node', { providers, models })
    expect(await idsOf(without)).toEqual(['talk', 'talker'])
    for (const id of ['painter', 'filmer', 'embedder', 'paint', 'reel-1', 'films/reel-1'])
      expect((await without.call(`/v1/models/${id}`)).status, id).toBe(404)
    const withTasks = await startGateway('node', { providers, models, tasks: taskOptions() })
    expect(await idsOf(withTasks)).toEqual(['talk', 'talker', 'filmer', 'reel-1'])
    expect((await withTasks.call('/v1/models/films/reel-1')).status).toBe(200)
  })

  it('is the date of a model where it is known, and 0 where not', async () => {
    const upstream = await startUpstream(
      listing(() => ({
        data: [
          { id: 'dated', created: 1_750_000_000 },
          { id: 'undated', created: 0 },
          { id: 'odd', created: 1e300 },
        ],
      })),
    )
    const { gateway, call } = await startGateway('node', {
      providers: [{ name: 'alpha', claims: [], ...openAICompatibleServer({ baseUrl: upstream.url }) }],
      models: { fast: ['dated'] },
    })
    await gateway.ready()
    const listed = async (headers: Record<string, string> = {}) => {
      const { data } = (await (await call('/v1/models', { headers })).json()) as { data: Record<string, unknown>[] }
      return data
    }
    expect((await listed()).map(({ id, created }) => [id, created])).toEqual([
      ['fast', 0],
      ['dated', 1_750_000_000],
      ['undated', 0],
      ['odd', 0],
    ])
    const unknown = '1970-01-01T00:00:00.000Z'
    expect((await listed({ 'anthropic-version': '2023-06-01' })).map(({ created_at }) => created_at)).toEqual([
      unknown,
      '2025-06-15T15:06:40.000Z',
      unknown,
      unknown,
    ])
  })

  it('is told of every id that can be asked for, listed or not', async () => {
    const upstream = await startUpstream(listing(() => list('live')))
    const { call, post, gateway } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { models, known: [{ id: 'kept', context: 1000 }], claims: [/^small-/] }),
        { provider: chatProvider(upstream.url), name: 'beta', models: { mine: 'deploy-1' } },
      ],
      models: { fast: ['kept', 'beta/mine'] },
    })
    await gateway.ready()
    for (const [id, providers] of [
      ['live', ['alpha']],
      ['kept', ['alpha']],
      ['alpha/kept', ['alpha']],
      ['fast', ['alpha', 'beta']],
      ['beta/mine', ['beta']],
      ['small-7', ['alpha']],
      ['alpha/newest', ['alpha']],
    ] as const) {
      const found = await call(`/v1/models/${id}`)
      expect([found.status, await found.json()], id).toMatchObject([
        200,
        { id, object: 'model', owned_by: providers[0], providers },
      ])
      expect((await post(CHAT, { ...chatRequest, model: id })).status, id).toBe(200)
    }
    expect(await (await call('/v1/models/alpha/kept')).json()).toMatchObject({ context_length: 1000 })
    for (const id of ['beta/other', 'nobody/has', 'other']) {
      expect((await call(`/v1/models/${id}`)).status, id).toBe(404)
      expect((await post(CHAT, { ...chatRequest, model: id })).status, id).toBe(400)
    }
  })

  it('is told of a model that has come since the list was read', async () => {
    const ids: string[] = []
    const upstream = await startUpstream(listing(() => list(...ids)))
    const { call } = await startGateway('node', { providers: [chatProvider(upstream.url, { known: [], models })] })
    ids.push('new')
    expect((await call('/v1/models/new')).status).toBe(200)
  })
})
