import { testCall } from '@headgate/conformance'
import type { Exchange, HttpResponse, VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { replicate } from '../src/index.ts'

type Config = Parameters<typeof replicate>[0]
const asked: VideoRequest = {
  model: 'm',
  intent: 'i',
  text: 'A cat.',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 3600,
  body: {},
}
const frame = { url: 'https://example.com/a.png' }

function videoOf(config: Partial<Config> = {}) {
  const { video } = replicate({ apiKey: 'k', ...config })
  if (!video) throw new Error('Replicate has videos')
  return video
}

function remote<In, Out>(call: Exchange<In, Out> | { run: unknown }): Exchange<In, Out> {
  if ('run' in call) throw new Error('Replicate is asked over HTTP')
  return call
}

function sent(request: Partial<VideoRequest>, config: Partial<Config> = {}) {
  const call = testCall()
  const { url, headers, body } = remote(videoOf(config).create).request({ ...asked, ...request }, call)
  return {
    url,
    headers,
    json: body && 'json' in body ? body.json : undefined,
    losses: call.losses.map(({ path }) => path),
  }
}

function looked(body: unknown, status = 200) {
  const answer: HttpResponse = { status, headers: {}, body, bytes: new Uint8Array() }
  return remote(videoOf().get).response(answer, { id: '1' }, [])
}

describe('Replicate', () => {
  it('runs an official model by its name, and any other by its version', () => {
    expect(sent({ model: 'google/veo-3.1', duration: 8, expiresAfter: 7200 })).toMatchObject({
      url: '/models/google/veo-3.1/predictions',
      headers: { 'cancel-after': '7200s' },
      json: { input: { prompt: 'A cat.', duration: 8 } },
    })
    expect(sent({ model: 'acme/film:5c7d', expiresAfter: 259_200 }).headers).toEqual({ 'cancel-after': '86400s' })
    expect(sent({ model: 'acme/film:5c7d' })).toMatchObject({
      url: '/predictions',
      json: { version: '5c7d', input: { prompt: 'A cat.' } },
    })
  })

  it('calls inputs as the model does, or as the config says', () => {
    const both = { firstFrame: frame, lastFrame: { base64: 'AQID', type: 'image/webp' } }
    const last = 'data:image/webp;base64,AQID'
    expect(sent({ model: 'google/veo-3.1', ...both }).json).toEqual({
      input: { prompt: 'A cat.', image: frame.url, last_frame: last },
    })
    expect(sent({ model: 'kwaivgi/kling-v2.5-turbo-pro', ...both, seed: 7 })).toMatchObject({
      json: { input: { prompt: 'A cat.', start_image: frame.url, end_image: last } },
      losses: ['seed'],
    })
    const inputs = { 'acme/film': { firstFrame: 'first_frame_image', lastFrame: null } }
    expect(sent({ model: 'acme/film:5c7d', firstFrame: frame }, { inputs }).json).toEqual({
      version: '5c7d',
      input: { prompt: 'A cat.', first_frame_image: frame.url },
    })
    expect(videoOf({ inputs }).accepts?.({ ...asked, model: 'acme/film:5c7d', ...both })).toEqual([
      'it does not support a last frame',
    ])
  })

  it('gives the time until which a result can be fetched: an hour after it was made', () => {
    const prediction = { status: 'succeeded', completed_at: '2026-11-20T10:00:00Z' }
    const video = { url: 'https://replicate.delivery/a.mp4', expiresAt: Date.UTC(2026, 10, 20, 11) }
    for (const output of [video.url, [video.url, 'b'], { video: video.url }])
      expect(looked({ ...prediction, output })).toEqual({ status: 'succeeded', video })
    expect(looked({ ...prediction, output: null, data_removed: true })).toMatchObject({
      status: 'failed',
      error: { message: 'The output has been deleted.' },
    })
  })

  it('tells a deadline from somebody who cancelled', () => {
    const stopped = { status: 'canceled', completed_at: '2026-11-20T10:00:00Z' }
    expect(looked(stopped)).toEqual({ status: 'cancelled' })
    expect(looked({ ...stopped, deadline: '2026-11-20T11:00:00Z' })).toEqual({ status: 'cancelled' })
    expect(looked({ ...stopped, deadline: '2026-11-20T09:59:59Z' })).toEqual({ status: 'expired' })
    expect(looked({ status: 'aborted' })).toEqual({ status: 'expired' })
    expect(looked({ status: 'pausing' })).toEqual({ status: 'running' })
  })

  it('knows a prediction that is gone, and a version that is not there', () => {
    expect(remote(videoOf().get).reads?.({ status: 404, headers: {}, body: {}, bytes: new Uint8Array() })).toBe(true)
    expect(() => looked({ title: 'Not found' }, 404)).toThrow(expect.objectContaining({ kind: 'not-found' }))
    const detail = 'The specified version does not exist (or perhaps you do not have permission to use it?)'
    const answer = {
      status: 422,
      headers: {},
      body: { title: 'Invalid version or not permitted', detail },
      bytes: new Uint8Array(),
    }
    expect(replicate({ apiKey: 'k' }).readError?.(answer)).toEqual({ kind: 'unknown-model', message: detail })
  })
})
