import { describe, expect, it, vi } from 'vitest'
import { HeadgateError, object, type VideoRequest, type VideoSupport } from '../../../core/src/provider.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, TASKS, videoProvider } from './support.ts'

const OTHER = { headers: { authorization: 'Bearer sk-limited' } }
const say = (text: string) => ({ type: 'text', text })
const image = (url: string, role?: string) => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
})
const CAT = 'https://pictures.example/cat.png'

/** A vendor who takes everything, and what the adapter was given. */
async function vendor(changes: Partial<VideoSupport> = {}, name = 'films') {
  const given: VideoRequest[] = []
  let creations = 0
  const upstream = await startUpstream((call) =>
    call.method === 'POST'
      ? call.answer(200, { id: `upstream-${name}-${++creations}` })
      : call.answer(200, { state: 'waiting' }),
  )
  const base = videoProvider(upstream.origin, changes)
  const create: VideoSupport['create'] = {
    request(request) {
      given.push(request)
      return { method: 'POST', url: '/tasks', body: { json: request.body } }
    },
    response: ({ body }) => ({ id: String(object(body)?.['id']) }),
  }
  return { upstream, given, provider: { ...base, name, video: { ...base.video, create, ...changes } as VideoSupport } }
}

describe('Which provider is asked', () => {
  async function several() {
    const none = await vendor({ capabilities: { frames: 'none', durations: [5] } }, 'none')
    const first = await vendor({ capabilities: { frames: 'first', durations: [5, 10] } }, 'first')
    const both = await vendor(
      { capabilities: { frames: 'first-or-last', durations: { min: 2, max: 12 }, seed: false } },
      'both',
    )
    const videos = await startVideos({ providers: [none.provider, first.provider, both.provider] })
    const by = async (body: object, headers?: Record<string, string>) => {
      const answer = await videos.post(
        TASKS,
        { model: 'reel-1', content: [say('a cat')], ...body },
        headers ? { headers } : {},
      )
      return (
        answer.headers.get('headgate-vendor') ?? ((await answer.json()) as { error: { message: string } }).error.message
      )
    }
    return by
  }

  it('is the first that can do it', async () => {
    const by = await several()
    expect(await by({})).toBe('none')
    expect(await by({ content: [image(CAT)] })).toBe('first')
    expect(await by({ content: [image(CAT)] }, { vendor: 'auto' })).toBe('first')
    expect(await by({ content: [image(CAT, 'last_frame')] })).toBe('both')
    expect(await by({ duration: 12 })).toBe('both')
  })

  it('is rather one that loses nothing', async () => {
    const by = await several()
    expect(await by({ duration: 7 })).toBe('both')
    expect(await by({ duration: 10 })).toBe('first')
  })

  it('is rather one whose adapter refuses nothing, and loses nothing', async () => {
    const answers = { response: () => ({ id: 'upstream-task-1' }) }
    const post = (json: object) => ({ method: 'POST', url: '/tasks', body: { json } }) as const
    const refusing: VideoSupport['create'] = {
      ...answers,
      request: ({ ratio }) => {
        if (ratio !== undefined) throw new HeadgateError('invalid-request', 'It has no such ratio.', { param: 'ratio' })
        return post({})
      },
    }
    const losing: VideoSupport['create'] = {
      ...answers,
      request: ({ ratio }, call) => {
        if (ratio !== undefined) call.lose('ratio', 'it is always 16:9', 'changed')
        return post({})
      },
    }
    const providers = [
      (await vendor({ create: refusing }, 'refuses')).provider,
      (await vendor({ create: losing }, 'loses')).provider,
      (await vendor({}, 'does')).provider,
    ]
    const { post: send } = await startVideos({ providers })
    const by = async (body: object, headers: Record<string, string> = {}) => {
      const answer = await send(TASKS, { model: 'reel-1', content: [say('a cat')], ...body }, { headers })
      return [answer.status, answer.headers.get('headgate-vendor')]
    }
    expect(await by({})).toEqual([200, 'refuses'])
    expect(await by({ ratio: '1:1' })).toEqual([200, 'does'])
    expect(await by({ ratio: '1:1' }, { 'headgate-strict': 'all' })).toEqual([200, 'does'])
    expect(await by({ ratio: '1:1' }, { vendor: 'refuses' })).toEqual([400, null])
  })

  it('is none where none can, with the reason', async () => {
    const by = await several()
    expect(await by({ duration: 30 })).toContain('not 30')
  })

  it('is the one that is named, or none', async () => {
    const by = await several()
    expect(await by({}, { vendor: 'both' })).toBe('both')
    expect(await by({ content: [image(CAT)] }, { vendor: 'none' })).toContain('it does not accept frames')
    expect(await by({}, { vendor: 'nobody' })).toContain('Unknown vendor')
  })
})

describe('A provider whose wire is the same', () => {
  async function native() {
    const made = await vendor({ native: 'ark' }, 'ark')
    const videos = await startVideos({
      providers: [made.provider, (await vendor({}, 'other')).provider],
      models: { hero: ['ark/reel-9'] },
    })
    return { ...made, ...videos, sent: () => made.upstream.calls.findLast(({ method }) => method === 'POST')?.json() }
  }

  it('gets the body as it is, but for what is ours', async () => {
    const { post, sent } = await native()
    const body = {
      content: [
        { ...say('a cat --dur 5 --fps 24'), tone: 'calm' },
        { ...image(CAT, 'reference_image'), weight: 0.5 },
      ],
      seed: 5,
      service_tier: 'flex',
      priority: 3,
      tools: [{ type: 'web_search' }],
      framespersecond: 999,
      shiny: { deep: [1, null] },
    }
    const answer = await post(TASKS, { ...body, model: 'hero' })
    expect([answer.status, answer.headers.get('headgate-lost')]).toEqual([200, null])
    expect(sent()).toEqual({ ...body, model: 'reel-9' })
  })

  it('is not told where the caller is called back', async () => {
    const { create, sent } = await native()
    const { create: tells } = await startVideos(
      { providers: [(await vendor({ native: 'ark' })).provider] },
      { allowPrivateCallbacks: ['127.0.0.1'] },
    )
    expect((await tells({ callback_url: 'http://127.0.0.1:9/hook' }))[0]).toBe(200)
    expect((await create({ callback_url: null }))[0]).toBe(200)
    expect(sent()).not.toHaveProperty('callback_url')
  })

  it('renders a draft of its own, by the id that it knows', async () => {
    const { create, get, sent } = await native()
    const [, { id }] = await create({}, { headers: { vendor: 'ark' } })
    const content = [{ type: 'draft_task', draft_task: { id, more: 1 } }]
    const [status, final] = await create({ content })
    expect(status).toBe(200)
    expect(sent()).toMatchObject({ content: [{ type: 'draft_task', draft_task: { id: 'upstream-ark-1', more: 1 } }] })
    expect((await get(final['id']))[1]).toMatchObject({ draft_task_id: id })

    const [, other] = await create({}, { headers: { vendor: 'other' } })
    for (const [task, init] of [
      [id, OTHER],
      ['cgt-none', {}],
      [other['id'], {}],
    ] as const) {
      const [refused, answer] = await create(
        { model: init === OTHER ? 'small' : 'reel-1', content: [{ type: 'draft_task', draft_task: { id: task } }] },
        init,
      )
      expect([refused, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(/draft/)])
      expect(JSON.stringify(answer)).not.toContain('upstream-')
    }
  })

  it('is said what a request repeats', async () => {
    const { create, get } = await native()
    const [, { id }] = await create({ frames: 57, priority: 2, service_tier: 'flex' }, { headers: { vendor: 'ark' } })
    const task = (await get(id))[1]
    expect(task).toMatchObject({ frames: 57, priority: 2, service_tier: 'flex', execution_expires_after: 172_800 })
    expect(task).not.toHaveProperty('duration')
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'queued' }), { timeout: 20_000 })
  })
})
