import { testCall } from '@headgate/conformance'
import type { Exchange, TaskRef, VideoRequest, VideoTask } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { xai } from '../src/index.ts'

const { video, chat = [], models, readError } = xai({ apiKey: 'k' })
const create = video?.create as Exchange<VideoRequest, TaskRef>
const get = video?.get as Exchange<TaskRef, VideoTask>
const answer = (body: unknown, status = 200) => ({ status, headers: {}, body, bytes: new Uint8Array() })
const asked = (given: Partial<VideoRequest>): VideoRequest => ({
  model: 'grok-imagine-video-1.5',
  intent: 'i',
  text: 'a cat',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 3_600,
  body: {},
  ...given,
})
const image = { url: 'https://a.example/1.png' }
const task = (body: unknown) => get.response(answer(body), { id: '1' }, []) as VideoTask

// Written from https://docs.x.ai/developers/model-capabilities/video/generation
describe('xAI', () => {
  it('makes a video of a first frame in the ratio of that frame, and says so', () => {
    const call = testCall()
    const request = create.request(asked({ firstFrame: image, ratio: '1:1' }), call)
    expect(request.body).toEqual({ json: { model: 'grok-imagine-video-1.5', prompt: 'a cat', image } })
    expect(call.losses).toMatchObject([{ path: 'ratio' }])
    const pinned = create.request(
      asked({ text: '', lastFrame: { base64: 'AAAA', type: 'image/png' }, ratio: '1:1' }),
      call,
    )
    const last_frame = { url: 'data:image/png;base64,AAAA' }
    expect(pinned.body).toEqual({ json: { model: 'grok-imagine-video-1.5', last_frame, aspect_ratio: '1:1' } })
  })

  it('refuses what only some combinations of inputs can have', () => {
    const refused = (given: Partial<VideoRequest>) => video?.accepts?.(asked(given)).length
    expect(refused({ images: [image], resolution: '1080p' })).toBe(1)
    expect(refused({ firstFrame: image, lastFrame: image, resolution: '1080p' })).toBe(1)
    expect(refused({ firstFrame: image, resolution: '1080p' })).toBe(0)
    expect(refused({ images: [image], duration: 15 })).toBe(0)
    expect(refused({ model: 'grok-imagine-video', images: [image], duration: 11 })).toBe(1)
  })

  it('tells what moderation refused: the words, an image, or the video', () => {
    const failed = (message: string) =>
      task({ status: 'failed', error: { code: 'invalid_argument', message } }).error?.kind
    expect(failed('The prompt was rejected by content moderation.')).toBe('refused-text')
    expect(failed('The input image was rejected by content moderation.')).toBe('refused-media')
    expect(failed('Unsupported duration.')).toBe('invalid-request')
    const held = task({ status: 'done', video: { url: '', duration: 8, respect_moderation: false } })
    expect(held).toMatchObject({ status: 'failed', error: { kind: 'refused-output' } })
  })

  // Written from https://docs.x.ai/docs/guides/files/chat-with-files
  it('takes documents in responses alone', () => {
    const takes = chat.map((support) => 'format' in support && [support.format, support.facts])
    expect(takes).toEqual([
      ['chat-completions', { documents: 'none' }],
      ['responses', undefined],
    ])
  })

  it('waits while nothing is said', () => {
    expect([task(''), task(undefined), task({ status: 'pending', progress: 250 })]).toEqual([
      { status: 'running' },
      { status: 'running' },
      { status: 'running', progress: 1 },
    ])
    expect(task({ status: 'done' }).status).toBe('failed')
  })

  it('leaves the team out of what it says of a refusal', () => {
    const error = 'Content violates usage guidelines. Team: 1111, API key ID: 2222, Failed check: SAFETY_CHECK_TYPE_BIO'
    expect(readError?.(answer({ code: '…', error }, 403))).toEqual({
      kind: 'content-policy',
      message: 'Content violates usage guidelines.',
    })
    expect(readError?.(answer({ code: '…', error: 'This key may not do that.' }, 403))).toBeUndefined()
    expect(readError?.(answer({ error }))).toBeUndefined()
  })

  it('lists models by their family, and speech, which the vendor does not list', () => {
    const data = ['grok-4.6', 'grok-imagine-video-1.5-lite', 'grok-imagine-image-2.0', 'grok-voice-transcribe-2.0'].map(
      (id) => ({ id }),
    )
    expect(models?.response(answer({ object: 'list', data }), undefined, [])).toMatchObject([
      { id: 'grok-stt', families: ['transcription'] },
      { id: 'grok-tts', families: ['speech'] },
      { id: 'grok-4.6', families: ['chat'] },
      { id: 'grok-imagine-video-1.5-lite', families: ['video'] },
      { id: 'grok-imagine-image-2.0', families: ['images'] },
    ])
  })
})
