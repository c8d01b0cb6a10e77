import type { Call, HttpResponse, VideoRequest } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { luma } from '../src/index.ts'

const frame = { url: 'https://example.com/first.png' }

function asked(model: string, more: Partial<VideoRequest> = {}): VideoRequest {
  return {
    model,
    intent: 'i',
    text: 'A cat surfs.',
    images: [],
    videos: [],
    audios: [],
    expiresAfter: 3600,
    body: {},
    ...more,
  }
}

function videoOf(api: 'agents' | 'dream-machine') {
  const { video } = luma({ apiKey: 'key', api })
  if (!video || !('request' in video.create) || !('request' in video.get)) throw new Error('Luma makes videos.')
  const { create, get, accepts } = video
  function sent(request: VideoRequest) {
    const lost: string[] = []
    const call: Call = {
      model: request.model,
      stream: false,
      headers: {},
      lose: (path, _, kind) => void lost.push(`${path};${kind ?? 'dropped'}`),
    }
    const { body } = create.request(request, call)
    return { body: body && 'json' in body ? (JSON.parse(JSON.stringify(body.json)) as unknown) : undefined, lost }
  }
  return { sent, get, accepts }
}

describe('The API of agents', () => {
  const { sent, get, accepts } = videoOf('agents')

  it('takes frames as addresses or as data', () => {
    const { body } = sent(
      asked('ray-3.2', {
        firstFrame: frame,
        lastFrame: { base64: 'AAAA', type: 'image/png' },
        duration: 5,
        user: 'u-1',
      }),
    )
    expect(body).toEqual({
      model: 'ray-3.2',
      type: 'video',
      prompt: 'A cat surfs.',
      user_id: 'u-1',
      video: { duration: '5s', start_frame: frame, end_frame: { data: 'AAAA', media_type: 'image/png' } },
    })
  })

  it('makes 540p for 480p, and says so', () => {
    expect(sent(asked('ray-3.2', { resolution: '480p' }))).toMatchObject({
      body: { video: { resolution: '540p' } },
      lost: ['resolution;changed'],
    })
  })

  it('makes neither 10 seconds nor another ratio of a frame', () => {
    expect(accepts?.(asked('ray-3.2', { firstFrame: frame, duration: 10, ratio: '1:1' }))).toHaveLength(2)
    expect(accepts?.(asked('ray-3.2', { duration: 10, ratio: '1:1' }))).toEqual([])
  })

  it('gives links that last an hour from its answer', () => {
    const date = 'Sun, 22 Nov 2026 10:00:00 GMT'
    const body = {
      state: 'completed',
      created_at: '2026-11-22T09:00:00Z',
      output: [{ type: 'video', url: 'https://a/v.mp4' }],
    }
    const read = (headers: HttpResponse['headers']) =>
      get.response({ status: 200, headers, body, bytes: new Uint8Array() }, { id: 'g' }, [])
    expect(read({ date })).toEqual({
      status: 'succeeded',
      video: { url: 'https://a/v.mp4', expiresAt: Date.parse('2026-11-22T11:00:00Z') },
    })
    expect(read({})).toMatchObject({ video: { expiresAt: Date.parse('2026-11-22T10:00:00Z') } })
  })
})

describe('The API of the Dream Machine', () => {
  it('has its own address, models and words', () => {
    const { baseUrl, known } = luma({ apiKey: 'key', api: 'dream-machine' })
    expect(baseUrl).toBe('https://api.lumalabs.ai/dream-machine/v1')
    expect(known?.map(({ id }) => id)).toEqual(['ray-2', 'ray-flash-2'])
    const { body } = videoOf('dream-machine').sent(
      asked('ray-2', { lastFrame: frame, duration: 9, resolution: '4k', ratio: '9:21' }),
    )
    expect(body).toEqual({
      model: 'ray-2',
      prompt: 'A cat surfs.',
      aspect_ratio: '9:21',
      resolution: '4k',
      duration: '9s',
      keyframes: { frame1: { type: 'image', url: frame.url } },
    })
  })
})
