import { testCall } from '@headgate/conformance'
import { type HttpResponse, isNext, type Json, type VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { volcengine } from '../src/index.ts'
import { readError, video } from '../src/video.ts'
import { video as vendor } from './vendor.ts'

const asked: VideoRequest = {
  model: 'doubao-seedance-2-0-260128',
  intent: 'f6b1c2d4-0000-4000-8000-000000000001',
  text: 'An otter',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 172_800,
  body: { model: 'video', content: [{ type: 'text', text: 'An otter --rs 720p' }], a_field_of_tomorrow: { a: 1 } },
}
const answer = (body: unknown, status = 200): HttpResponse => ({ status, headers: {}, body, bytes: new Uint8Array() })

function exchange<Exchange extends object>(call: Exchange | undefined): Exclude<Exchange, { run: unknown }> {
  if (!call || 'run' in call) throw new Error('It runs in this process.')
  return call as Exclude<Exchange, { run: unknown }>
}
const create = exchange(video.create)
const get = exchange(video.get)
const find = exchange(video.find)

describe('Videos of Volcengine', () => {
  it('sends the body as it is, under the own name of the model, and marks it with the id of the creation', () => {
    const sent = create.request(asked, testCall())
    expect(sent).toMatchObject({ method: 'POST', url: '/contents/generations/tasks' })
    expect(sent.body).toEqual({ json: { ...asked.body, model: asked.model, safety_identifier: asked.intent } })
  })

  it('leaves whom the caller has named', () => {
    const { body } = create.request({ ...asked, user: 'user-7' }, testCall())
    expect(body).toMatchObject({ json: { safety_identifier: 'user-7' } })
  })

  it('knows until when the results can be fetched, and gives the task whole', () => {
    const [body] = vendor.states.succeeded
    const task = get.response(answer(body), { id: vendor.id }, [])
    const expiresAt = Date.parse('2026-02-01T12:03:00Z')
    expect(task).toMatchObject({
      status: 'succeeded',
      video: { url: vendor.video, expiresAt },
      lastFrame: { expiresAt },
      native: body,
    })
  })

  it.each([
    ['pending', 'queued'],
    ['processing', 'running'],
    ['constructor', 'running'],
    ['succeeded', 'running'],
    ['canceled', 'cancelled'],
  ])('reads the state %s without a result as %s', (status, read) => {
    expect(get.response(answer({ id: 'cgt-1', status }), { id: 'cgt-1' }, [])).toMatchObject({ status: read })
  })

  it('gives the file of a task that makes no video', () => {
    const body = { id: 'cgt-1', status: 'succeeded', content: { file_url: 'https://a.example/a.glb' } }
    expect(get.response(answer(body), { id: 'cgt-1' }, [])).toMatchObject({
      status: 'succeeded',
      file: { url: 'https://a.example/a.glb' },
    })
  })

  it('counts searches beside tokens, and names the offline tier', () => {
    const usage = { completion_tokens: 7, tool_usage: { web_search: 2 } }
    const task = get.response(
      answer({ id: 'cgt-1', status: 'running', service_tier: 'flex', usage }),
      { id: 'cgt-1' },
      [],
    )
    expect(task).toMatchObject({ usage: { input: 0, output: 7, tier: 'flex', units: { searches: 2 } } })
  })

  const page = (count: number, first: Json = {}): Json[] =>
    Array.from({ length: count }, (_, index) => (index ? { id: `${index}` } : first))
  const intent = { intent: asked.intent, model: asked.model, createdAt: 1 }

  it('looks for a lost task through the pages of its tier', () => {
    const lost = { ...intent, trace: video.trace?.({ ...asked, body: { service_tier: 'flex' } }) ?? {} }
    expect(find.request(lost, testCall()).url).toBe(
      '/contents/generations/tasks?page_num=1&page_size=500&filter.service_tier=flex',
    )
    const one = answer({ items: page(500), total: 501 })
    const more = find.response(one, lost, [])
    expect(isNext(more) && more.request.url).toContain('page_num=2')
    const task = { id: 'cgt-9', safety_identifier: asked.intent }
    expect(find.response(answer({ items: page(1, task), total: 501 }), lost, [one])).toEqual({ id: 'cgt-9' })
    expect(find.response(answer({ items: page(1), total: 501 }), lost, [one])).toBeUndefined()
  })

  it('does not look on for ever, and says of no task beyond that it is not there', () => {
    const full = answer({ items: page(500), total: 1_000_000 })
    expect(() =>
      find.response(
        full,
        intent,
        Array.from({ length: 19 }, () => full),
      ),
    ).toThrow('more than 10000')
  })

  it('finds no task that the caller has marked', () => {
    const marked = { ...intent, trace: video.trace?.({ ...asked, user: 'user-7' }) ?? {} }
    expect(find.request(marked, testCall()).url).toContain('page_size=1')
    expect(
      find.response(answer({ items: [{ id: 'cgt-1', safety_identifier: 'user-7' }], total: 900 }), marked, []),
    ).toBeUndefined()
  })

  const can = (model: string) =>
    typeof video.capabilities === 'function' ? video.capabilities(model) : video.capabilities
  it.each([
    ['doubao-seedance-2-5-260628', { min: 4, max: 30 }],
    ['dreamina-seedance-2-0-fast-260128', { min: 4, max: 15 }],
    ['seedance-1-5-pro-251215', { min: 4, max: 12 }],
    ['doubao-seedance-1-0-pro-fast-251015', { min: 2, max: 12 }],
    ['ep-20260131120000-abcde', undefined],
  ])('knows how long videos of %s are', (model, durations) => expect(can(model)?.durations).toEqual(durations))

  it('refuses what no model of a generation does', () => {
    const frame = { url: 'https://a.example/a.png' }
    const newest = { ...asked, model: 'doubao-seedance-2-5-260628', firstFrame: frame }
    expect(video.accepts?.({ ...newest, ratio: '1:1' })).toEqual(['the video has the ratio of the frame: omit `ratio`'])
    expect(video.accepts?.({ ...newest, ratio: 'adaptive' })).toEqual([])
    expect(video.accepts?.({ ...asked, firstFrame: frame, ratio: '1:1' })).toEqual([])
    expect(video.accepts?.({ ...asked, audios: [{ url: 'https://a.example/a.mp3' }] })).toHaveLength(1)
  })

  it.each([
    [429, 'QuotaExceeded', undefined],
    [429, 'SetLimitExceeded', 'our-quota'],
    [404, 'InvalidEndpointOrModel.NotFound', 'unknown-model'],
    [404, 'ResourceNotFound', 'not-found'],
    [429, 'ServerOverloaded', 'overloaded'],
    [400, 'InputImageSensitiveContentDetected.PrivacyInformation', 'content-policy'],
  ])('tells %d %s apart', (status, code, kind) => {
    expect(readError(answer({ error: { code, message: 'No.' } }, status))?.kind).toBe(kind)
  })
})

describe('Volcengine', () => {
  // Entries as BytePlus lists them: task types are what models are for.
  it('lists what makes videos and images and what chats, and nothing that is shut down', () => {
    const data = [
      {
        id: 'doubao-seed-1-8-251228',
        task_type: ['VisualQuestionAnswering', 'TextGeneration'],
        token_limits: { context_window: 262_144 },
      },
      { id: 'doubao-seedance-2-0-260128', task_type: ['TextToVideo', 'ImageToVideo'] },
      { id: 'doubao-seedream-4-0-250828', task_type: ['TextToImage'] },
      { id: 'doubao-pro-32k-240828', status: 'Shutdown' },
      { id: 'ep-1' },
    ]
    const listed = volcengine({ apiKey: 'k' }).models?.response(answer({ object: 'list', data }), undefined, [])
    expect(listed).toEqual([
      { id: 'doubao-seed-1-8-251228', context: 262_144, families: ['chat'] },
      { id: 'doubao-seedance-2-0-260128', families: ['video'] },
      { id: 'doubao-seedream-4-0-250828', families: ['images'] },
      { id: 'ep-1' },
    ])
  })

  it('knows its models by the names that the site of the base URL has for them', () => {
    const first = (baseUrl?: string) => volcengine({ apiKey: 'k', ...(baseUrl && { baseUrl }) }).known?.[0]?.id
    expect(first()).toBe('doubao-seedance-2-5-260628')
    expect(first('https://ark.ap-southeast.bytepluses.com/api/v3')).toBe('dreamina-seedance-2-5-260628')
  })
})
