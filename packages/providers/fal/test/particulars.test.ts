import { testCall } from '@headgate/conformance'
import type { Exchange, HttpResponse, VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { fal } from '../src/index.ts'

type Config = Parameters<typeof fal>[0]
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
  const { video } = fal({ apiKey: 'k', ...config })
  if (!video) throw new Error('fal has videos')
  return video
}

function remote<In, Out>(call: Exchange<In, Out> | { run: unknown }): Exchange<In, Out> {
  if ('run' in call) throw new Error('fal is asked over HTTP')
  return call
}

function sent(request: Partial<VideoRequest>, config: Partial<Config> = {}, call = testCall()) {
  const { url, body } = remote(videoOf(config).create).request({ ...asked, ...request }, call)
  return { url, json: body && 'json' in body ? body.json : undefined, losses: call.losses.map(({ path }) => path) }
}

function answer(status: number, body: unknown): HttpResponse {
  return { status, headers: {}, body, bytes: new Uint8Array() }
}

describe('fal', () => {
  it.each([
    [{}, '/fal-ai/veo3.1'],
    [{ firstFrame: frame }, '/fal-ai/veo3.1/image-to-video'],
    [{ firstFrame: frame, lastFrame: frame }, '/fal-ai/veo3.1/first-last-frame-to-video'],
    [{ images: [frame] }, '/fal-ai/veo3.1/reference-to-video'],
  ])('picks the endpoint by what a request brings along: %j', (given, url) => {
    expect(sent({ model: 'fal-ai/veo3.1', ...given }).url).toBe(url)
  })

  it('calls inputs as the endpoint does', () => {
    const both = {
      model: 'fal-ai/veo3.1',
      firstFrame: frame,
      lastFrame: { base64: 'AQID', type: 'image/webp' },
      duration: 8,
    }
    expect(sent(both).json).toEqual({
      prompt: 'A cat.',
      first_frame_url: frame.url,
      last_frame_url: 'data:image/webp;base64,AQID',
      duration: '8s',
    })
    const tail = { model: 'fal-ai/kling-video/v2.5-turbo/pro', firstFrame: frame, lastFrame: frame, duration: 10 }
    expect(sent(tail).json).toEqual({
      prompt: 'A cat.',
      image_url: frame.url,
      tail_image_url: frame.url,
      duration: '10',
    })
  })

  it('knows a single endpoint by its whole id, and what it can not do', () => {
    const { capabilities } = videoOf()
    if (typeof capabilities !== 'function') throw new Error('it depends on the model')
    expect(capabilities('fal-ai/veo3.1/reference-to-video')).toMatchObject({
      text: false,
      frames: 'none',
      images: 3,
      seed: false,
    })
    expect(capabilities('fal-ai/kling-video/v3/pro/image-to-video')).toMatchObject({
      text: false,
      frames: 'first-and-last',
      ratios: [],
    })
    expect(capabilities('acme/film')).toEqual({})
    expect(sent({ model: 'fal-ai/veo3.1/image-to-video', firstFrame: frame }).url).toBe('/fal-ai/veo3.1/image-to-video')
  })

  it('asks models that it does not know by the usual names, or by those of the config', () => {
    const request = { model: 'acme/film', firstFrame: frame, duration: 6, seed: 7, cameraFixed: true }
    expect(sent(request)).toEqual({
      url: '/acme/film',
      json: { prompt: 'A cat.', image_url: frame.url, duration: '6', seed: 7 },
      losses: ['cameraFixed'],
    })
    const inputs = { 'acme/film': { names: { firstFrame: 'start', seed: null }, seconds: 'number' as const } }
    expect(sent(request, { inputs })).toMatchObject({
      json: { prompt: 'A cat.', start: frame.url, duration: 6 },
      losses: ['seed', 'cameraFixed'],
    })
  })

  it('refuses a shape where that of the frame counts', () => {
    const { accepts } = videoOf()
    const request = { ...asked, model: 'fal-ai/kling-video/v3/pro', ratio: '1:1' }
    expect(accepts?.(request)).toEqual([])
    expect(accepts?.({ ...request, firstFrame: frame })).toEqual(['it does not support a ratio with these inputs'])
    expect(accepts?.({ ...request, firstFrame: frame, ratio: 'adaptive' })).toEqual([])
  })

  it('goes for its answers to no other host', () => {
    const at = 'https://elsewhere.example/fal-ai/veo3.1/requests/1'
    const body = { request_id: '1', response_url: at, status_url: `${at}/status`, cancel_url: `${at}/cancel` }
    const { response } = remote(videoOf().create)
    const state = {
      result: '/fal-ai/veo3.1/requests/1',
      status: '/fal-ai/veo3.1/requests/1/status',
      cancel: '/fal-ai/veo3.1/requests/1/cancel',
    }
    expect(response(answer(200, body), asked, [])).toEqual({ id: '1', state })
    expect(() => response(answer(200, { request_id: '1' }), asked, [])).toThrow('its response has no URL for it')
  })

  it.each([
    [422, { detail: [{ loc: ['body', 'image_url'], msg: 'No.', type: 'content_policy_violation' }] }, 'refused-media'],
    [422, { detail: [{ loc: ['body', 'prompt'], msg: 'No.', type: 'content_policy_violation' }] }, 'refused-text'],
    [422, { detail: [{ loc: ['body'], msg: 'No.', type: 'content_policy_violation' }] }, 'refused-output'],
    [422, { detail: [{ loc: ['body', 'duration'], msg: 'No.', type: 'value_error' }] }, 'invalid-request'],
    [500, { detail: [{ loc: ['body'], msg: 'No.', type: 'internal_server_error' }] }, 'failed'],
    [503, { detail: 'No.', error_type: 'runner_disconnected' }, 'failed'],
  ])('reads a result with status %i as a task that failed: %j', (status, body, kind) => {
    const { reads, response } = remote(videoOf().get)
    expect(reads?.(answer(status, body))).toBe(true)
    expect(response(answer(status, body), { id: '1' }, [answer(200, {})])).toEqual({
      status: 'failed',
      error: { kind, message: 'No.' },
    })
  })

  it('does not take a fault on the way for a task that failed', () => {
    const { reads, response } = remote(videoOf().get)
    expect([reads?.(answer(502, '<html>')), reads?.(answer(429, { detail: 'Too many.' }))]).toEqual([false, false])
    expect(() => response(answer(404, { detail: 'Not found' }), { id: '1' }, [])).toThrow(
      expect.objectContaining({ kind: 'not-found' }),
    )
  })
})
