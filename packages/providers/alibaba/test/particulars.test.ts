import { testCall } from '@headgate/conformance'
import type { HttpResponse, Json, VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { alibaba } from '../src/index.ts'
import { readError, video } from '../src/video.ts'

const picture = { url: 'https://a.example/a.png' }
const clip = { url: 'https://a.example/a.mp4' }
const sound = { url: 'https://a.example/a.mp3' }

function ask(model: string, request: Partial<VideoRequest> = {}): VideoRequest {
  const none = { images: [], videos: [], audios: [] }
  return {
    model,
    intent: 'f6b1c2d4-0000-4000-8000-000000000001',
    text: 'An otter',
    ...none,
    expiresAfter: 172_800,
    body: {},
    ...request,
  }
}
const answer = (body: unknown, status = 200): HttpResponse => ({ status, headers: {}, body, bytes: new Uint8Array() })

function exchange<Exchange extends object>(call: Exchange | undefined): Exclude<Exchange, { run: unknown }> {
  if (!call || 'run' in call) throw new Error('It runs in this process.')
  return call as Exclude<Exchange, { run: unknown }>
}
const create = exchange(video.create)
const get = exchange(video.get)

function sent(request: VideoRequest): { url: string; json: Json; lost: readonly string[] } {
  const call = testCall()
  const { url, body } = create.request(request, call)
  return { url, json: body && 'json' in body ? (body.json as Json) : {}, lost: call.losses.map(({ path }) => path) }
}

// Written from https://www.alibabacloud.com/help/en/model-studio/image-to-video-general-api-reference,
// wan-video-to-video-api-reference, legacy-wan-text-to-video-api-reference and legacy-image-to-video-api-reference.
describe('Videos of Alibaba', () => {
  it('lets a sound drive a video of text', () => {
    const { json } = sent(
      ask('wan2.7-t2v', { audios: [sound], ratio: '9:16', resolution: '720p', duration: 8, audio: true }),
    )
    expect(json).toEqual({
      model: 'wan2.7-t2v',
      input: { prompt: 'An otter', audio_url: sound.url },
      parameters: { resolution: '720P', ratio: '9:16', duration: 8 },
    })
  })

  it('gives frames as media, whose ratio the video has', () => {
    const { json } = sent(
      ask('wan2.7-i2v', { text: '', firstFrame: picture, lastFrame: picture, ratio: 'adaptive', seed: 7 }),
    )
    const media = [
      { type: 'first_frame', url: picture.url },
      { type: 'last_frame', url: picture.url },
    ]
    expect(json).toEqual({ model: 'wan2.7-i2v', input: { media }, parameters: { seed: 7 } })
  })

  it('gives references as media', () => {
    const { json } = sent(ask('wan2.7-r2v', { images: [picture], videos: [clip] }))
    expect(json['input']).toMatchObject({
      media: [
        { type: 'reference_image', url: picture.url },
        { type: 'reference_video', url: clip.url },
      ],
    })
  })

  it.each([
    ['wan2.6-t2v', { resolution: '720p', ratio: '4:3' }, '1088*832'],
    ['wan2.6-t2v', { ratio: '9:16' }, '1080*1920'],
    ['wan2.5-t2v-preview', { resolution: '480p' }, '832*480'],
    ['wan2.6-r2v', { images: [picture], resolution: '720p', ratio: '1:1' }, '960*960'],
    ['wan2.6-t2v', {}, undefined],
  ] as const)('asks %s for %j by pixels', (model, request, size) => {
    expect(sent(ask(model, request)).json['parameters']).toEqual(size === undefined ? {} : { size })
  })

  it('has a field for each kind of media of the older models', () => {
    const image = sent(
      ask('wan2.6-i2v-flash', { firstFrame: { base64: 'aGk=', type: 'image/png' }, resolution: '1080p', audio: false }),
    )
    expect(image.json).toMatchObject({
      input: { img_url: 'data:image/png;base64,aGk=' },
      parameters: { resolution: '1080P', audio: false },
    })
    const between = sent(ask('wan2.2-kf2v-flash', { firstFrame: picture, lastFrame: picture }))
    expect(between.url).toBe('/api/v1/services/aigc/image2video/video-synthesis')
    expect(between.json['input']).toMatchObject({ first_frame_url: picture.url, last_frame_url: picture.url })
    const references = sent(ask('wan2.6-r2v', { images: [picture], videos: [clip] }))
    expect(references.json['input']).toMatchObject({ reference_urls: [picture.url, clip.url] })
  })

  it('declares a seed that is too great', () => {
    expect(sent(ask('wan3.0-video', { seed: 2 ** 31 }))).toMatchObject({ json: { parameters: {} }, lost: ['seed'] })
    expect(sent(ask('wan3.0-video', { seed: 2 ** 31 - 1, duration: -1 }))).toMatchObject({
      json: { parameters: { seed: 2 ** 31 - 1, duration: -1 } },
      lost: [],
    })
  })

  it('refuses what no model of a kind does', () => {
    expect(video.accepts?.(ask('wan2.5-t2v-preview', { resolution: '480p', ratio: '4:3' }))).toEqual([
      'there is no 480p with the ratio 4:3',
    ])
    expect(
      video.accepts?.(ask('wan2.7-r2v', { images: [picture, picture, picture], videos: [clip, clip, clip] })),
    ).toHaveLength(1)
    expect(video.accepts?.(ask('wan2.7-r2v', { videos: [clip], duration: 12 }))).toHaveLength(1)
    expect(video.accepts?.(ask('wan2.7-r2v', { images: [picture], duration: 12 }))).toEqual([])
  })

  const read = (output: Json, usage?: Json) => get.response(answer({ output, usage, request_id: 'r' }), { id: 't' }, [])

  it('counts begun seconds whole, and knows until when the video can be fetched', () => {
    const url = 'https://a.example/a.mp4?Expires=1769947200'
    expect(read({ task_status: 'SUCCEEDED', video_url: url }, { duration: 7.04 })).toEqual({
      status: 'succeeded',
      video: { url, expiresAt: 1_769_947_200_000 },
      usage: { input: 0, output: 0, units: { seconds: 8 } },
    })
    expect(read({ task_status: 'SUCCEEDED' })).toEqual({ status: 'running' })
  })

  it.each([
    ['DataInspectionFailed', 'Input data may contain inappropriate content.', 'refused-text'],
    ['DataInspectionFailed', 'Input image data may contain inappropriate content.', 'refused-media'],
    ['InvalidParameter.DataInspection', 'Unable to download the media resource.', 'invalid-request'],
    ['InternalError.Timeout', 'It took too long.', 'failed'],
  ])('says why a task failed: %s, %s', (code, message, read_) => {
    expect(read({ task_status: 'FAILED', code, message })).toEqual({
      status: 'failed',
      error: { kind: read_, message },
    })
  })

  it.each([
    [400, { code: 'Arrearage', message: 'no' }, 'our-quota'],
    [429, { code: 'Throttling.AllocationQuota', message: 'no' }, 'rate-limited'],
    [400, { error: { code: 'data_inspection_failed', message: 'no' } }, 'content-policy'],
    [400, { code: 'InvalidParameter', message: 'no' }, undefined],
  ])('tells %d %j apart', (status, body, kind) => expect(readError(answer(body, status))?.kind).toBe(kind))
})

describe('Alibaba', () => {
  it('lists models of videos beside those of chat', () => {
    const listed = alibaba({ apiKey: 'k' }).models?.response(
      answer({ object: 'list', data: [{ id: 'qwen-plus' }] }),
      undefined,
      [],
    )
    expect(listed).toEqual(expect.arrayContaining([{ id: 'qwen-plus' }, { id: 'wan3.0-video', families: ['video'] }]))
  })

  it('claims what is surely its own, and no open model', () => {
    const { claims } = alibaba({ apiKey: 'k' })
    const ids = ['wan3.0-video', 'wanx2.1-t2v-turbo', 'qwen-plus-latest', 'qwen3-32b', 'wander-1']
    expect(ids.filter((id) => claims.some((claim) => claim.test(id)))).toEqual(ids.slice(0, 3))
  })
})
