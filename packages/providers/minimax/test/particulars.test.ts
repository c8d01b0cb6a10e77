import { testCall } from '@headgate/conformance'
import { type HttpResponse, isNext, type Json, type VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { minimax } from '../src/index.ts'
import { readError, video } from '../src/video.ts'

const asked: VideoRequest = {
  model: 'MiniMax-H3',
  intent: 'f6b1c2d4-0000-4000-8000-000000000001',
  text: 'An otter',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 172_800,
  body: {},
}
const picture = { url: 'https://a.example/a.png' }
const answer = (body: unknown, status = 200, headers = {}): HttpResponse => ({
  status,
  headers,
  body,
  bytes: new Uint8Array(),
})

function exchange<Exchange extends object>(call: Exchange | undefined): Exclude<Exchange, { run: unknown }> {
  if (!call || 'run' in call) throw new Error('It runs in this process.')
  return call as Exclude<Exchange, { run: unknown }>
}
const create = exchange(video.create)
const get = exchange(video.get)
const cancel = exchange(video.cancel)

function sent(request: Partial<VideoRequest>): { url: string; json: Json; lost: readonly string[] } {
  const call = testCall()
  const { url, body } = create.request({ ...asked, ...request }, call)
  return {
    url,
    json: body && 'json' in body ? (body.json as Json) : {},
    lost: call.losses.map(({ path, kind }) => `${path};${kind}`),
  }
}

describe('Videos of H3', () => {
  it('always names what the vendor requires', () => {
    expect(sent({}).json).toEqual({
      model: 'MiniMax-H3',
      content: [{ type: 'text', text: 'An otter' }],
      duration: 5,
      resolution: '768P',
      ratio: '16:9',
    })
    expect(sent({}).lost).toEqual([])
  })

  it('declares that sizes are others, and that text alone has no ratio to take', () => {
    expect(sent({ resolution: '720p', ratio: 'adaptive' }).lost).toEqual(['resolution;changed', 'ratio;changed'])
    expect(sent({ resolution: '1080p' }).json).toMatchObject({ resolution: '2K' })
    expect(sent({ model: 'MiniMax-H3-Max', resolution: '480p' })).toMatchObject({
      json: { resolution: '480P' },
      lost: [],
    })
  })

  it('gives frames by their roles, and no other ratio than theirs', () => {
    const { json } = sent({ firstFrame: { base64: 'aGk=', type: 'image/png' }, lastFrame: picture, ratio: 'adaptive' })
    expect(json['ratio']).toBe('adaptive')
    expect(json['content']).toEqual([
      { type: 'text', text: 'An otter' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, role: 'first_frame' },
      { type: 'image_url', image_url: picture, role: 'last_frame' },
    ])
    expect(video.accepts?.({ ...asked, firstFrame: picture, ratio: '1:1' })).toHaveLength(1)
    expect(video.accepts?.({ ...asked, text: ' ' })).toEqual(['a prompt is required'])
  })

  it('reads a URL that says nothing as one of nine hours', () => {
    const body = { task: { status: 'succeeded', content: { url: 'https://a.example/a.mp4' } } }
    const task = get.response(
      answer(body, 200, { date: 'Sat, 31 Jan 2026 12:00:00 GMT' }),
      { id: '1', state: { isSecond: true } },
      [],
    )
    expect(task).toMatchObject({ video: { expiresAt: Date.parse('2026-01-31T21:00:00Z') } })
  })
})

// Written from https://platform.minimax.io/docs/api-reference/video-generation-t2v, -i2v, -fl2v, -s2v, -query and
// -download.
describe('Videos of Hailuo', () => {
  const model = 'MiniMax-Hailuo-02'

  it('asks by the first version of the API', () => {
    const request = {
      model,
      duration: 6,
      resolution: '1080p',
      firstFrame: picture,
      lastFrame: picture,
      watermark: true,
    }
    expect(sent(request)).toMatchObject({
      url: '/v1/video_generation',
      json: {
        model,
        prompt: 'An otter',
        duration: 6,
        resolution: '1080P',
        first_frame_image: picture.url,
        last_frame_image: picture.url,
        aigc_watermark: true,
      },
      lost: [],
    })
    expect(sent({ model, resolution: '480p' })).toMatchObject({
      json: { resolution: '512P' },
      lost: ['resolution;changed'],
    })
    expect(sent({ model: 'T2V-01', resolution: '720p' })).toMatchObject({ json: { resolution: '720P' }, lost: [] })
  })

  it('gives a subject to the model that takes one', () => {
    const subject_reference = [{ type: 'character', image: [picture.url] }]
    expect(sent({ model: 'S2V-01', images: [picture] }).json).toMatchObject({ subject_reference })
  })

  it('refuses lengths and frames that a resolution has not', () => {
    expect(video.accepts?.({ ...asked, model, resolution: '1080p', duration: 10 })).toEqual([
      'at 1080p, the duration is 6 seconds',
    ])
    expect(video.accepts?.({ ...asked, model, resolution: '480p' })).toEqual(['480p requires a first frame'])
    expect(video.accepts?.({ ...asked, model, resolution: '480p', firstFrame: picture })).toEqual([])
  })

  const base_resp = { status_code: 0, status_msg: 'success' }
  const ref = create.response(answer({ task_id: '106916112212032', base_resp }), { ...asked, model }, [])
  if (isNext(ref)) throw new Error('It asks for more.')

  it('asks for the file of a video that is made', () => {
    expect(get.request(ref, testCall()).url).toBe('/v1/query/video_generation?task_id=106916112212032')
    const query = answer({ task_id: ref.id, status: 'Success', file_id: '205258526306433', base_resp })
    const more = get.response(query, ref, [])
    expect(isNext(more) && more.request.url).toBe('/v1/files/retrieve?file_id=205258526306433')
    const file = {
      file_id: 205_258_526_306_433,
      download_url: 'https://a.example/a.mp4?Expires=1769893200',
      filename: 'output.mp4',
    }
    expect(get.response(answer({ file, base_resp }), ref, [query])).toEqual({
      status: 'succeeded',
      video: { url: file.download_url, expiresAt: 1_769_893_200_000 },
    })
    expect(get.response(answer({ file: {}, base_resp }), ref, [query])).toEqual({ status: 'running' })
  })

  it.each([
    ['Preparing', 'queued'],
    ['Queueing', 'queued'],
    ['Processing', 'running'],
    ['Thinking', 'running'],
  ])('reads %s as %s', (status, read) => {
    expect(get.response(answer({ task_id: ref.id, status, base_resp }), ref, [])).toEqual({ status: read })
  })

  it('reads a failure of a task, which is none of the request', () => {
    const failed = answer({
      task_id: ref.id,
      status: 'Fail',
      base_resp: { status_code: 1027, status_msg: 'sensitive' },
    })
    expect(readError(failed)).toBeUndefined()
    const error = { kind: 'refused-output', message: 'sensitive' }
    expect(get.response(failed, ref, [])).toEqual({ status: 'failed', error })
  })

  it('can not be cancelled: the task is looked at ', () => {
    expect(cancel.request(ref, testCall())).toMatchObject({ method: 'GET' })
    expect(cancel.response(answer({ task_id: ref.id, status: 'Queueing', base_resp }), ref, [])).toBe('not-cancelable')
  })

  it.each([
    [1002, 'rate-limited'],
    [1004, 'our-credential'],
    [1008, 'our-quota'],
    [1026, 'content-policy'],
    [1033, 'upstream'],
    [2013, 'invalid-request'],
  ])('finds the error %d in an answer whose status is 200', (status_code, kind) => {
    expect(readError(answer({ base_resp: { status_code, status_msg: 'no' } }))).toEqual({ kind, message: 'no' })
  })

  it('says so of a task that is not there', () => {
    expect(readError(answer({ base_resp: { status_code: 2013, status_msg: 'invalid task_id' } }))?.kind).toBe(
      'not-found',
    )
  })
})

describe('MiniMax', () => {
  it('lists models of videos beside those of chat', () => {
    const { models } = minimax({ apiKey: 'k' })
    const listed = models?.response(answer({ object: 'list', data: [{ id: 'MiniMax-M3' }] }), undefined, [])
    expect(listed).toEqual(expect.arrayContaining([{ id: 'MiniMax-M3' }, { id: 'MiniMax-H3', families: ['video'] }]))
  })
})
