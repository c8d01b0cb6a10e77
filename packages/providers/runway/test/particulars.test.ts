import { type Call, isNext, type VideoRequest } from '@headgate/core/provider'
import { describe, expect, it, test } from 'vitest'
import { runway } from '../src/index.ts'
import { models } from '../src/models.ts'
import { sizeOf } from '../src/sizes.ts'

const video = runway({ apiKey: 'key' }).video
if (!video || !('request' in video.create)) throw new Error('Runway makes videos.')
const { create } = video
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

function can(model: string) {
  return typeof video?.capabilities === 'function' ? video.capabilities(model) : video?.capabilities
}

describe('Sizes of Runway', () => {
  test.each([
    ['1104:832', '720p', '4:3'],
    ['1584:672', '720p', '21:9'],
    ['832:480', '480p', '16:9'],
    ['480:854', '480p', '9:16'],
    ['1662:1248', '1080p', '4:3'],
    ['3840:3840', '4k', '1:1'],
    ['3840:1646', '4k', '21:9'],
  ])('%s is %s at %s', (value, resolution, ratio) => expect(sizeOf(value)).toEqual({ value, resolution, ratio }))

  it('has no two of one name for a model', () => {
    for (const { sizes = [] } of Object.values(models)) {
      const names = sizes.map(sizeOf).map(({ resolution, ratio }) => `${resolution} ${ratio}`)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it('begin with 16:9 at each resolution of a model', () => {
    for (const { sizes = [] } of Object.values(models)) {
      const named = sizes.map(sizeOf)
      for (const { resolution } of named)
        expect(named.find((size) => size.resolution === resolution)?.ratio).toBe('16:9')
    }
  })

  test.each<[string, Partial<VideoRequest>, object]>([
    ['gen4.5', {}, { ratio: '1280:720', duration: 5 }],
    ['gen4.5', { ratio: '4:3', firstFrame: frame }, { ratio: '1104:832' }],
    ['seedance2', { ratio: '9:16', resolution: '1080p' }, { ratio: '1080:1920' }],
    ['seedance2', { resolution: '4k' }, { ratio: '3840:2160' }],
    ['seedance2', { duration: -1 }, { duration: 'auto' }],
    ['veo3.1', { resolution: '1080p', ratio: '9:16', audio: true }, { ratio: '1080:1920', audio: true }],
    ['wan3', { firstFrame: frame, resolution: '480p' }, { ratio: 'auto_480p' }],
    ['wan3', { resolution: '480p', ratio: '4:3' }, { ratio: '720:544' }],
    ['hailuo3', { ratio: '21:9' }, { ratio: '21:9' }],
    ['hailuo3', {}, { ratio: '16:9' }],
    ['hailuo3', { images: [frame], ratio: 'adaptive' }, { ratio: 'adaptive' }],
    ['wan3', { ratio: 'adaptive', resolution: '1080p' }, { ratio: 'auto_1080p' }],
    ['happyhorse_1_0', { firstFrame: frame, resolution: '1080p' }, { resolution: '1080p' }],
    ['happyhorse_1_0', { ratio: '1:1' }, { ratio: '960:960' }],
    ['grok_imagine_1_5', { ratio: '2:3', resolution: '720p' }, { ratio: '2:3', resolution: '720p' }],
    ['model-of-tomorrow', { ratio: '4:3', resolution: '720p' }, { ratio: '1112:834' }],
  ])('%s with %o', (model, more, fields) => expect(sent(asked(model, more)).body).toMatchObject(fields))

  it('are left to the model where nothing is asked', () => {
    expect(sent(asked('seedance2')).body).toEqual({ model: 'seedance2', promptText: 'A cat surfs.' })
  })

  it('are declared where the model has but a near one', () => {
    expect(sent(asked('hailuo3', { resolution: '720p' }))).toMatchObject({
      body: { resolution: '768p' },
      lost: ['resolution;changed'],
    })
  })

  it('follow nothing where there is nothing, and say so', () => {
    expect(sent(asked('hailuo3', { ratio: 'adaptive' }))).toMatchObject({
      body: { ratio: '16:9' },
      lost: ['ratio;changed'],
    })
    expect(sent(asked('happyhorse_1_0', { ratio: 'adaptive' }))).toMatchObject({ lost: ['ratio;changed'] })
  })

  it('are refused where the model has none', () => {
    expect(video.accepts?.(asked('gen4.5', { ratio: '4:3' }))).toEqual([
      'There is no size of 4:3 at any resolution from text alone.',
    ])
    expect(video.accepts?.(asked('gen4.5', { ratio: '4:3', firstFrame: frame }))).toEqual([])
    expect(video.accepts?.(asked('wan3', { ratio: '4:3', firstFrame: frame }))).toHaveLength(1)
    expect(video.accepts?.(asked('model-of-tomorrow', { ratio: '9:21' }))).toEqual([])
  })
})

describe('Requests to Runway', () => {
  it('go to the endpoint of images where there is a frame', () => {
    const { path, body } = sent(
      asked('veo3.1', { firstFrame: frame, lastFrame: { base64: 'AAAA', type: 'image/jpeg' } }),
    )
    expect(path).toBe('/v1/image_to_video')
    expect(body).toMatchObject({
      promptImage: [
        { uri: frame.url, position: 'first' },
        { uri: 'data:image/jpeg;base64,AAAA', position: 'last' },
      ],
    })
  })

  it('carry references beside the text', () => {
    const { path, body } = sent(
      asked('seedance2_5', { images: [frame], videos: [{ url: 'https://example.com/v.mp4' }] }),
    )
    expect(path).toBe('/v1/text_to_video')
    expect(body).toMatchObject({
      references: [{ uri: frame.url }],
      referenceVideos: [{ type: 'video', uri: 'https://example.com/v.mp4' }],
    })
  })

  it('say nothing of sound to models that are not told, and declare it', () => {
    const { body, lost } = sent(asked('happyhorse_1_0', { audio: true }))
    expect(body).not.toHaveProperty('audio')
    expect(lost).toEqual(['audio;dropped'])
  })

  it('of models that are not known promise nothing', () => {
    expect(can('model-of-tomorrow')).toEqual({ watermark: false, cameraFixed: false, user: false })
    expect(can('gen4_turbo')).toMatchObject({
      text: false,
      seed: true,
      ownDuration: false,
      ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
    })
  })
})

it('A task at Runway is deleted only before it has ended', () => {
  const cancel = video.cancel
  if (!cancel || !('request' in cancel)) throw new Error('Runway ends tasks.')
  const answer = (status: string) => ({ status: 200, headers: {}, body: { id: 't', status }, bytes: new Uint8Array() })
  const more = cancel.response(answer('THROTTLED'), { id: 't' }, [])
  expect(isNext(more) && more.request).toMatchObject({ method: 'DELETE', url: '/v1/tasks/t' })
  expect(cancel.response(answer('SUCCEEDED'), { id: 't' }, [])).toBe('not-cancelable')
  expect(isNext(cancel.response(answer('RUNNING'), { id: 't' }, []))).toBe(true)
  expect(cancel.response(answer('WORD_OF_TOMORROW'), { id: 't' }, [])).toBe('not-cancelable')
})
