import { describe, expect, it } from 'vitest'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, TASKS, videoProvider } from './support.ts'

const DRY = { headers: { 'headgate-dry-run': 'true' } }

describe('A dry run of a video', () => {
  it('says who would make it, what is lost, and what it costs at most, and makes no task', async () => {
    const upstream = await startUpstream()
    const { create, list, rows } = await startVideos({
      providers: [videoProvider(upstream.url, { capabilities: { durations: [4, 6], seed: false } })],
    })
    const [status, body] = await create({ duration: 5, seed: 7 }, DRY)
    expect([status, body]).toEqual([
      200,
      {
        object: 'headgate.dry_run',
        policy: 'priority',
        family: 'video',
        model: 'reel-1',
        candidates: [
          {
            provider: 'films',
            model: 'reel-1',
            healthy: true,
            endpoint: null,
            why: expect.any(String),
            refused: null,
            way: 'translated',
            fetches: [],
            price: 'films@today',
            losses: [
              { path: 'duration', kind: 'changed', reason: 'changed to the next longer duration' },
              { path: 'seed', kind: 'dropped', reason: 'the model does not support it' },
            ],
            most: { videos: 1, seconds: 6 },
            bound: '0.000006',
            budget: null,
          },
        ],
      },
    ])
    expect([upstream.calls, rows, (await list())[1]]).toMatchObject([[], [], { total: 0 }])
  })

  it('knows what its adapter loses, and what would be fetched', async () => {
    const provider = videoProvider('http://127.0.0.1:9', {
      capabilities: { takes: 'base64' },
      create: {
        request(input, call) {
          call.lose('content[0].text', 'half of it is enough')
          return { method: 'POST', url: '/tasks', body: { json: { prompt: input.text } } }
        },
        response: () => ({ id: '1' }),
      },
    })
    const { create } = await startVideos({ providers: [provider] })
    expect((await create({}, DRY))[1]).toMatchObject({
      candidates: [{ losses: [{ path: 'content[0].text' }], fetches: [] }],
    })
    const frame = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    expect((await create({ content: [frame] }, DRY))[1]).toMatchObject({
      candidates: [{ fetches: ['content[0].image_url.url'] }],
    })
    const strict = { headers: { ...DRY.headers, 'headgate-strict': 'true' } }
    expect(await create({}, strict)).toMatchObject([
      400,
      { error: { code: 'InvalidParameter', message: expect.stringContaining('content[0].text') } },
    ])
  })

  it('is refused as the creation would be, and there is none of what ends a task', async () => {
    const { create, remove, call } = await startVideos({
      providers: [videoProvider('http://127.0.0.1:9', { capabilities: { durations: [4] } })],
    })
    expect(await create({ duration: 60 }, DRY)).toMatchObject([400, { error: { param: 'duration' } }])
    expect(await remove('cgt-1', DRY)).toMatchObject([400, { error: { param: 'headgate-dry-run' } }])
    expect((await call(TASKS, DRY)).status).toBe(200)
  })
})
