import type { Call, HttpResponse, VideoRequest } from '@headgate/core/provider'
import { describe, expect, it, test } from 'vitest'
import { vidu } from '../src/index.ts'

const provider = vidu({ apiKey: 'key' })
const video = provider.video
if (!video || !('request' in video.create) || !('request' in video.get)) throw new Error('Vidu makes videos.')
const { create, get } = video
const frame = { url: 'https://example.com/first.png' }
const raw = { base64: 'AAAA', type: 'image/jpeg' }

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

function sent(request: VideoRequest): { path: string; body: unknown; lost: readonly string[] } {
  const lost: string[] = []
  const call: Call = {
    model: request.model,
    stream: false,
    headers: {},
    lose: (path, _, kind) => void lost.push(`${path};${kind ?? 'dropped'}`),
  }
  const { url, body } = create.request(request, call)
  return { path: url, body: body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined, lost }
}

function answer(body: unknown, status = 200): HttpResponse {
  return { status, headers: {}, body, bytes: new Uint8Array() }
}

describe('Requests to Vidu', () => {
  test.each<[Partial<VideoRequest>, string, object]>([
    [{ ratio: '4:3', duration: 16, audio: false }, 'text2video', { aspect_ratio: '4:3', duration: 16, audio: false }],
    [{ firstFrame: raw }, 'img2video', { images: ['data:image/jpeg;base64,AAAA'] }],
    [{ firstFrame: frame, lastFrame: raw }, 'start-end2video', { images: [frame.url, 'data:image/jpeg;base64,AAAA'] }],
    [
      { images: [frame, raw], videos: [frame] },
      'reference2video',
      { images: [frame.url, 'data:image/jpeg;base64,AAAA'], videos: [frame.url] },
    ],
  ])('with %o go to %s', (more, path, fields) => {
    expect(sent(asked('viduq3-pro', more))).toMatchObject({
      path: `/ent/v2/${path}`,
      body: { payload: 'intent-1', ...fields },
      lost: [],
    })
  })

  it('declare a seed that it does not take, and 540p for 480p', () => {
    const { body, lost } = sent(asked('viduq3-pro', { seed: 0, resolution: '480p' }))
    expect(body).toMatchObject({ resolution: '540p' })
    expect(body).not.toHaveProperty('seed')
    expect(lost).toEqual(['resolution;changed', 'seed;dropped'])
    expect(sent(asked('viduq3-pro', { seed: 7 })).body).toMatchObject({ seed: 7 })
  })

  it('are refused where a frame or a reference rules something out', () => {
    expect(video.accepts?.(asked('viduq3-pro', { firstFrame: frame, ratio: '1:1' }))).toHaveLength(1)
    expect(
      video.accepts?.(asked('viduq2-pro', { images: Array.from({ length: 5 }, () => frame), videos: [frame] })),
    ).toHaveLength(1)
    expect(video.accepts?.(asked('viduq3-pro', { ratio: '1:1' }))).toEqual([])
  })
})

it('A task of Vidu gives the video with a watermark to who asked for one', () => {
  const ref = create.response(answer({ task_id: 't' }), asked('viduq3-pro', { watermark: true }), [])
  expect(ref).toEqual({ id: 't', state: { marked: true } })
  const body = { state: 'success', creations: [{ url: 'https://a/plain', watermarked_url: 'https://a/marked' }] }
  expect(get.response(answer(body), { id: 't', state: { marked: true } }, [])).toMatchObject({
    video: { url: 'https://a/marked' },
  })
  expect(get.response(answer(body), { id: 't' }, [])).toMatchObject({ video: { url: 'https://a/plain' } })
})

it('A task of Vidu that has begun is not canceled', () => {
  const { cancel } = video
  if (!cancel || !('request' in cancel)) throw new Error('Vidu cancels tasks.')
  const late = answer({ code: 400, reason: 'BadRequest', message: 'task state is scheduled, can not cancel' }, 400)
  expect(cancel.reads?.(late)).toBe(true)
  expect(cancel.reads?.(answer({ code: 400, reason: 'FieldInvalid', message: 'invalid field: id' }, 400))).toBe(false)
  expect(cancel.response(late, { id: 't' }, [])).toBe('not-cancelable')
  expect(cancel.response(answer({}), { id: 't' }, [])).toBe('canceled')
})

test.each([
  ['AuditSubmitIllegal', 'refused-text'],
  ['CreationPolicyViolation', 'refused-output'],
  ['ImageDownloadFailure', 'invalid-request'],
  ['CreditInsufficient', 'over-quota'],
  ['WordOfTomorrow', 'failed'],
])('A task of Vidu that failed by %s has the kind %s', (err_code, kind) => {
  expect(get.response(answer({ state: 'failed', err_code }), { id: 't' }, [])).toEqual({
    status: 'failed',
    error: { kind, message: err_code },
  })
})

test.each([
  [400, 'CreditInsufficient', 'insufficient credits', 'our-quota'],
  [400, 'AuditSubmitIllegal', 'submit is illegal', 'content-policy'],
  [404, 'TaskNotFound', 'task not found', 'not-found'],
  [400, 'FieldInvalid', 'invalid field: duration', undefined],
])('Status %i with %s (%s) of Vidu is %s', (status, reason, message, kind) => {
  expect(provider.readError?.(answer({ code: status, reason, message }, status))?.kind).toBe(kind)
})
