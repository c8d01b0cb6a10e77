import { createHmac } from 'node:crypto'
import { type Call, type HttpResponse, isNext, type VideoRequest } from '@headgate/core/provider'
import { describe, expect, it, test } from 'vitest'
import { kling } from '../src/index.ts'

const provider = kling({ apiKey: 'key' })
const video = provider.video
if (!video || !('request' in video.create)) throw new Error('Kling makes videos.')
const { create } = video
const frame = { url: 'https://example.com/first.png' }
const raw = { base64: 'AAAA', type: 'image/png' }

function asked(model: string, more: Partial<VideoRequest> = {}): VideoRequest {
  return {
    model,
    intent: 'intent-1',
    text: 'A cat surfs.',
    images: [],
    videos: [],
    audios: [],
    expiresAfter: 3600,
    body: {},
    ...more,
  }
}

function sent(request: VideoRequest): { path: string; body: unknown } {
  const call: Call = {
    model: request.model,
    stream: false,
    headers: {},
    lose: (path) => expect.fail(`${path} is lost`),
  }
  const { url, body } = create.request(request, call)
  return { path: url, body: body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined }
}

function answer(body: unknown, status = 200): HttpResponse {
  return { status, headers: {}, body, bytes: new Uint8Array() }
}

describe('Requests to Kling', () => {
  test.each<[string, Partial<VideoRequest>, string, object]>([
    [
      'kling-v2-6',
      { ratio: '1:1', duration: 10 },
      'text2video',
      { model_name: 'kling-v2-6', prompt: 'A cat surfs.', aspect_ratio: '1:1', duration: '10' },
    ],
    ['kling-v3', { firstFrame: frame, lastFrame: raw }, 'image2video', { image: frame.url, image_tail: 'AAAA' }],
    ['kling-v3', { resolution: '4k' }, 'text2video', { mode: '4k' }],
    [
      'kling-v1-6',
      { images: [frame, raw] },
      'multi-image2video',
      { image_list: [{ image: frame.url }, { image: 'AAAA' }] },
    ],
    ['kling-v2-6', { audio: true }, 'text2video', { sound: 'on', mode: 'pro' }],
    ['kling-v2-5-turbo', { firstFrame: frame, lastFrame: frame }, 'image2video', { mode: 'pro' }],
    ['kling-video-o1', { firstFrame: raw }, 'omni-video', { image_list: [{ image_url: 'AAAA', type: 'first_frame' }] }],
    [
      'kling-v3-omni',
      { videos: [frame] },
      'omni-video',
      {
        video_list: [{ video_url: frame.url, refer_type: 'feature', keep_original_sound: 'no' }],
        aspect_ratio: '16:9',
      },
    ],
    ['kling-v4-omni', {}, 'omni-video', { model_name: 'kling-v4-omni' }],
  ])('%s with %o go to %s', (model, more, path, fields) => {
    expect(sent(asked(model, more))).toMatchObject({
      path: `/v1/videos/${path}`,
      body: { external_task_id: 'intent-1', ...fields },
    })
  })

  it('name no mode of a model that has one', () => {
    expect(sent(asked('kling-v2-1-master', { resolution: '1080p' })).body).not.toHaveProperty('mode')
  })

  it('are refused where a mode or a reference rules something out', () => {
    expect(video.accepts?.(asked('kling-v2-6', { audio: true, resolution: '720p' }))).toEqual([
      'It takes sound at 1080p only.',
    ])
    expect(video.accepts?.(asked('kling-v2-6', { audio: true, firstFrame: frame, lastFrame: frame }))).toEqual([
      'The model accepts either a last frame or sound.',
    ])
    expect(video.accepts?.(asked('kling-v3', { firstFrame: frame, ratio: '16:9' }))).toHaveLength(1)
    expect(
      video.accepts?.(asked('kling-v3-omni', { videos: [frame], duration: 15, audio: true, resolution: '4k' })),
    ).toHaveLength(3)
    expect(
      video.accepts?.(asked('kling-v3', { audio: true, resolution: '720p', firstFrame: frame, ratio: 'adaptive' })),
    ).toEqual([])
  })
})

describe('Tasks of Kling', () => {
  const found = { task_id: 't', task_info: { external_task_id: 'intent-1' } }
  const intent = { intent: 'intent-1', model: 'kling-v3', createdAt: 0, trace: { path: '/v1/videos/image2video' } }

  it('are asked for where they were made', () => {
    const request = asked('kling-v3', { firstFrame: frame })
    const ref = create.response(answer({ code: 0, data: { task_id: 't/1' } }), request, [])
    expect(ref).toEqual({ id: 't/1', state: { path: '/v1/videos/image2video' } })
    expect(
      !isNext(ref) &&
        'request' in video.get &&
        video.get.request(ref, { model: '', stream: false, headers: {}, lose() {} }).url,
    ).toBe('/v1/videos/image2video/t%2F1')
  })

  it('give the video with a watermark to who asked for one', () => {
    const body = {
      code: 0,
      data: {
        task_status: 'succeed',
        task_result: { videos: [{ url: 'https://a/plain', watermark_url: 'https://a/marked' }] },
      },
    }
    const read = (state: object) =>
      'request' in video.get && video.get.response(answer(body), { id: 't', state: { ...state } }, [])
    expect(read({ marked: true })).toMatchObject({ video: { url: 'https://a/marked' } })
    expect(read({})).toMatchObject({ video: { url: 'https://a/plain' } })
  })

  it('are looked for page by page by our own id', () => {
    const find = video.find
    if (!find || !('request' in find)) throw new Error('Kling finds tasks.')
    const full = answer({ code: 0, data: Array.from({ length: 500 }, (_, at) => ({ task_id: `${at}` })) })
    const more = find.response(full, intent, [])
    expect(isNext(more) && more.request.url).toBe('/v1/videos/image2video?pageNum=2&pageSize=500')
    expect(find.response(answer({ code: 0, data: [found] }), intent, [full])).toEqual({ id: 't', state: intent.trace })
    expect(find.response(answer({ code: 0, data: [] }), intent, [])).toBeUndefined()
    expect(
      find.response(
        full,
        intent,
        Array.from({ length: 9 }, () => full),
      ),
    ).toBeUndefined()
  })
})

test.each([
  [200, 1201, '', 'invalid-request'],
  [401, 1004, '', 'our-credential'],
  [429, 1102, '', 'our-quota'],
  [429, 1303, '', 'rate-limited'],
  [400, 1301, '', 'content-policy'],
  [404, 1203, 'The model is not supported', 'unknown-model'],
  [404, 1203, 'task not found', 'not-found'],
  [200, 9999, '', 'upstream'],
  [503, 5001, '', undefined],
  [200, 0, '', undefined],
])('Status %i with code %i (%s) of Kling is %s', (status, code, message, kind) => {
  expect(provider.readError?.(answer({ code, message }, status))?.kind).toBe(kind)
})

describe('A key pair of Kling', () => {
  it('signs a token of half an hour', () => {
    const { credential } = kling({ accessKey: 'ak', secretKey: 'zebra' })
    if (credential.kind !== 'signed') throw new Error('It is signed.')
    const request = { method: 'GET', url: new URL('https://example.com'), headers: {}, body: '' }
    const { authorization = '' } = credential.sign(request, undefined, new Date(1_795_341_600_000))
    const [header = '', payload = '', signature] = authorization.replace('Bearer ', '').split('.')
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(read(payload)).toEqual({ iss: 'ak', exp: 1_795_343_400, nbf: 1_795_341_595 })
    expect(signature).toBe(createHmac('sha256', 'zebra').update(`${header}.${payload}`).digest('base64url'))
  })

  it('is needed whole, where there is no key', () => {
    expect(() => kling({ accessKey: 'ak' })).toThrow('needs KLING_API_KEY, or KLING_ACCESS_KEY and KLING_SECRET_KEY')
  })
})
