import { describe, expect, it } from 'vitest'
import { testCall } from '../../../conformance/src/test-call.ts'
import { openAICompatibleServer } from '../../src/presets/openai-compatible.ts'
import type { Exchange, HttpResponse, VideoRequest, VideoSupport } from '../../src/provider.ts'

// Objects as in https://platform.openai.com/docs/api-reference/videos, by the types of openai-node 7.55.0.
const baseUrl = 'https://api.example.com/v1'
const asked: VideoRequest = {
  model: 'film-1',
  intent: 'i',
  text: 'A cat.',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 3600,
  body: {},
}

function videoOf(videos: boolean | 'form' | 'json' = true): VideoSupport {
  const { video } = openAICompatibleServer({ baseUrl, apiKey: 'k', videos, headers: { 'x-fixed': 'yes' } })
  if (!video) throw new Error('the preset has videos where they are asked for')
  return video
}

function remote<In, Out>(call: Exchange<In, Out> | { run: unknown }): Exchange<In, Out> {
  if ('run' in call) throw new Error('the preset asks a server')
  return call
}

function answer(body: unknown): HttpResponse {
  return { status: 200, headers: {}, body, bytes: new Uint8Array() }
}

function looked(body: unknown) {
  return remote(videoOf().get).response(answer(body), { id: 'video_1/2' }, [])
}

describe('Videos of an OpenAI-compatible server', () => {
  it('are there only where they are asked for', () => {
    expect(openAICompatibleServer({ baseUrl }).video).toBeUndefined()
    expect(videoOf().capabilities).toMatchObject({ frames: 'first', images: 0, takes: 'base64' })
    expect(videoOf('json').capabilities).not.toHaveProperty('takes')
  })

  it('are asked for by a form, whose first frame is a file', () => {
    const firstFrame = { base64: 'AQID', type: 'image/webp' }
    const request = { ...asked, duration: 8, resolution: '1080p', ratio: '9:16', seed: 7, audio: false, firstFrame }
    expect(remote(videoOf().create).request(request, testCall())).toEqual({
      method: 'POST',
      url: '/videos',
      headers: { 'x-fixed': 'yes' },
      body: {
        form: [
          { name: 'model', value: 'film-1' },
          { name: 'prompt', value: 'A cat.' },
          { name: 'seconds', value: '8' },
          { name: 'size', value: '1080x1920' },
          { name: 'seed', value: '7' },
          { name: 'audio', value: 'false' },
          { name: 'input_reference', value: Buffer.from([1, 2, 3]), filename: 'input.webp', type: 'image/webp' },
        ],
      },
    })
  })

  it('are asked for by JSON where the server takes no forms', () => {
    const request = { ...asked, ratio: '1:1', firstFrame: { url: 'https://example.com/a.png' } }
    const { body } = remote(videoOf('json').create).request(request, testCall())
    const input_reference = { image_url: 'https://example.com/a.png' }
    expect(body).toEqual({ json: { model: 'film-1', prompt: 'A cat.', size: '960x960', input_reference } })
  })

  it('have an id, or the answer is no answer', () => {
    const { response } = remote(videoOf().create)
    expect(response(answer({ id: 'video_1', object: 'video', status: 'queued' }), asked, [])).toEqual({ id: 'video_1' })
    expect(() => response(answer({ object: 'video' }), asked, [])).toThrow('its response has no `id`')
  })

  it('are looked at in all states, and one that nobody knows goes on', () => {
    expect(remote(videoOf().get).request({ id: 'video_1/2' }, testCall())).toMatchObject({
      method: 'GET',
      url: '/videos/video_1%2F2',
    })
    expect(looked({ status: 'queued', progress: 0 })).toEqual({ status: 'queued', progress: 0 })
    expect(looked({ status: 'in_progress', progress: 40 })).toEqual({ status: 'running', progress: 0.4 })
    expect(looked({ status: 'thinking' })).toEqual({ status: 'running' })
    expect([looked({ status: 'canceled' }), looked({ status: 'expired' })]).toEqual([
      { status: 'cancelled' },
      { status: 'expired' },
    ])
  })

  it('are gone where the server does not know them', () => {
    const { reads, response } = remote(videoOf().get)
    const gone = { ...answer({ error: { message: 'No such video.' } }), status: 404 }
    expect([reads?.(gone), reads?.({ ...gone, status: 500 })]).toEqual([true, false])
    expect(() => response(gone, { id: '1' }, [])).toThrow(expect.objectContaining({ kind: 'not-found' }))
  })

  it('are fetched with the credential, as long as they are there', () => {
    expect(looked({ status: 'completed', progress: 100, seconds: '8', expires_at: 1_800_000_000 })).toEqual({
      status: 'succeeded',
      video: { url: `${baseUrl}/videos/video_1%2F2/content`, needsCredential: true, expiresAt: 1_800_000_000_000 },
      usage: { input: 0, output: 0, units: { seconds: 8 } },
      output: { duration: 8 },
    })
  })

  it.each([
    ['moderation_blocked', 'refused-output'],
    ['insufficient_quota', 'over-quota'],
    ['invalid_value', 'invalid-request'],
    ['video_generation_failed', 'failed'],
  ])('fail by %s as %s', (code, known) => {
    const error = { code, message: 'It failed.' }
    expect(looked({ status: 'failed', error })).toEqual({
      status: 'failed',
      error: { kind: known, message: 'It failed.' },
    })
  })
})
