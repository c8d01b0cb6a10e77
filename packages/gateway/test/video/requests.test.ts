import { describe, expect, it } from 'vitest'
import { object, type VideoCapabilities, type VideoRequest, type VideoSupport } from '../../../core/src/provider.ts'
import { PNG } from '../../../core/test/support/media.ts'
import { startFiles } from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, TASKS, videoProvider } from './support.ts'

const DATA = `data:image/png;base64,${PNG.toString('base64')}`
const say = (text: string) => ({ type: 'text', text })
const image = (url: string, role?: string) => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
})
const CAT = 'https://pictures.example/cat.png'
const DOG = 'https://pictures.example/dog.png'

/** A vendor who takes everything, and what the adapter was given. */
async function vendor(changes: Partial<VideoSupport> = {}, name = 'films') {
  const given: VideoRequest[] = []
  let creations = 0
  const upstream = await startUpstream((call) =>
    call.method === 'POST'
      ? call.answer(200, { id: `upstream-${name}-${++creations}` })
      : call.answer(200, { state: 'waiting' }),
  )
  const base = videoProvider(upstream.origin, changes)
  const create: VideoSupport['create'] = {
    request(request) {
      given.push(request)
      return { method: 'POST', url: '/tasks', body: { json: request.body } }
    },
    response: ({ body }) => ({ id: String(object(body)?.['id']) }),
  }
  return { upstream, given, provider: { ...base, name, video: { ...base.video, create, ...changes } as VideoSupport } }
}

async function start(capabilities?: VideoCapabilities) {
  const { provider, given, upstream } = await vendor(capabilities ? { capabilities } : {})
  const videos = await startVideos({ providers: [provider] })
  /** Creates, and gives what the adapter got of it and what was lost. */
  const asked = async (body: object): Promise<[VideoRequest | undefined, string | null]> => {
    const answer = await videos.post(TASKS, { model: 'reel-1', content: [say('a cat')], ...body })
    expect(await answer.json()).toEqual({
      id: expect.any(String),
      ...('safety_identifier' in body && { safety_identifier: 'user-7' }),
    })
    return [given.at(-1), answer.headers.get('headgate-lost')]
  }
  return { ...videos, asked, given, upstream }
}

describe('A request for a video', () => {
  it('reaches the adapter with all that it says', async () => {
    const { asked } = await start()
    const fields = {
      resolution: '1080P',
      ratio: '9:16',
      duration: 7,
      seed: 11,
      camera_fixed: true,
      watermark: false,
      generate_audio: true,
    }
    const [given, lost] = await asked({
      content: [say('a cat'), say('surfing'), image(CAT, 'first_frame'), image(DATA, 'last_frame')],
      ...fields,
      execution_expires_after: 3_600,
    })
    expect(given).toEqual({
      model: 'reel-1',
      intent: expect.stringMatching(/^[0-9a-f-]{36}$/),
      text: 'a cat\nsurfing',
      firstFrame: { url: CAT },
      lastFrame: { base64: PNG.toString('base64'), type: 'image/png' },
      images: [],
      videos: [],
      audios: [],
      resolution: '1080p',
      ratio: '9:16',
      duration: 7,
      seed: 11,
      cameraFixed: true,
      watermark: false,
      audio: true,
      expiresAfter: 3_600,
      body: {},
    })
    expect(lost).toBeNull()
  })

  it('carries references of every kind', async () => {
    const { asked } = await start()
    const [given] = await asked({
      content: [
        image(CAT, 'reference_image'),
        image(DOG, 'reference_image'),
        { type: 'video_url', video_url: { url: 'https://films.example/1.mp4' }, role: 'reference_video' },
        { type: 'audio_url', audio_url: { url: 'data:audio/mpeg;base64,SUQz' }, role: 'reference_audio' },
      ],
    })
    expect(given).toMatchObject({
      text: '',
      images: [{ url: CAT }, { url: DOG }],
      videos: [{ url: 'https://films.example/1.mp4' }],
      audios: [{ base64: 'SUQz', type: 'audio/mpeg' }],
    })
  })

  it('takes a lone image for the first frame', async () => {
    const { asked } = await start()
    expect((await asked({ content: [image(CAT)] }))[0]).toMatchObject({ firstFrame: { url: CAT }, images: [] })
  })

  it('declares what has no place in another wire, and not what says nothing', async () => {
    const { asked } = await start()
    const nothing = {
      draft: false,
      service_tier: 'default',
      priority: 0,
      output_format: 'mp4',
      return_last_frame: false,
      seed: -1,
      tools: null,
    }
    expect((await asked(nothing))[1]).toBeNull()
    const [, lost] = await asked({
      service_tier: 'flex',
      priority: 3,
      tools: [{ type: 'web_search' }],
      return_last_frame: true,
      safety_identifier: 'user-7',
      draft: true,
      output_format: 'webm',
      shiny: 1,
    })
    const names = [
      'service_tier',
      'priority',
      'tools',
      'return_last_frame',
      'safety_identifier',
      'draft',
      'output_format',
      'shiny',
    ]
    expect(lost?.split(/,\s*/).sort()).toEqual(names.sort())
  })

  it('may say its length in frames', async () => {
    const { asked } = await start()
    for (const [frames, duration] of [
      [25, 1],
      [57, 2],
      [121, 5],
      [289, 12],
    ])
      expect(await asked({ frames, duration: 9 })).toMatchObject([{ duration }, 'frames;changed'])
  })
})

describe('Switches behind a text', () => {
  it('mean what the fields mean', async () => {
    const { asked } = await start()
    const [given, lost] = await asked({
      content: [say('a cat --rs 720p --ratio 16:9 --dur 5 --seed 11 --cf false --watermark true')],
    })
    expect(given).toMatchObject({
      text: 'a cat',
      resolution: '720p',
      ratio: '16:9',
      duration: 5,
      seed: 11,
      cameraFixed: false,
      watermark: true,
    })
    expect(lost).toBeNull()
    expect((await asked({ content: [say('a cat --rt 1:1 --fps 24')] }))[1]).toBe('content')
  })

  it('count less than fields, however the length is said', async () => {
    const { asked } = await start()
    const content = [say('a cat --rt 16:9 --dur 5 --seed 3')]
    expect((await asked({ content, ratio: '1:1', duration: 8 }))[0]).toMatchObject({
      ratio: '1:1',
      duration: 8,
      seed: 3,
    })
    expect((await asked({ content: [say('a cat --frames 121')], duration: 8 }))[0]).toMatchObject({ duration: 8 })
    expect((await asked({ content: [say('a cat --dur 9')], frames: 121 }))[0]).toMatchObject({ duration: 5 })
  })

  it('stay in the text where they are none', async () => {
    const { asked } = await start()
    const text = 'a --sign saying --dur long -- and --rt'
    expect((await asked({ content: [say(text)] }))[0]).toMatchObject({ text })
  })
})

describe('A request that is none', () => {
  it.each([
    ['two images without roles', { content: [image(CAT), image(DOG)] }, 'content[0].role'],
    ['an image of another role', { content: [image(CAT, 'background')] }, 'content[0].role'],
    ['two first frames', { content: [image(CAT, 'first_frame'), image(DOG, 'first_frame')] }, 'content[1].role'],
    [
      'frames mixed with references',
      { content: [image(CAT, 'first_frame'), image(DOG, 'reference_image')] },
      'content[1].image_url.url',
    ],
    ['an image that is a bare text', { content: [{ type: 'image_url', image_url: CAT }] }, 'content'],
    ['no content', { content: [] }, 'content'],
    ['an empty text', { content: [say('  ')] }, 'content'],
    ['a duration that is no number', { duration: 'long' }, 'duration'],
    ['a duration that is none', { duration: -2 }, 'duration'],
    ['an expiry below an hour', { execution_expires_after: 60 }, 'execution_expires_after'],
    ['a priority above 9', { priority: 10 }, 'priority'],
    ['an identifier too long', { safety_identifier: 'x'.repeat(65) }, 'safety_identifier'],
  ])('is refused for %s, by its name', async (_, body, param) => {
    const { create, upstream } = await start()
    const [status, answer] = await create(body)
    expect([status, answer]).toMatchObject([400, { error: { code: 'InvalidParameter', type: 'BadRequest' } }])
    expect(String(object(answer['error'])?.['param'])).toContain(param)
    expect(upstream.calls).toHaveLength(0)
  })
})

describe('What a model can not do', () => {
  const CAN: VideoCapabilities = {
    frames: 'first',
    images: 0,
    videos: 0,
    audios: 0,
    takes: 'url',
    durations: [4, 8],
    ratios: ['16:9'],
    resolutions: ['720p'],
    seed: false,
    audio: 'never',
    watermark: false,
    cameraFixed: false,
    ownDuration: false,
  }

  it.each([
    [
      'last frame',
      { content: [image(CAT, 'first_frame'), image(DOG, 'last_frame')] },
      'content[1].image_url.url',
      'last frame',
    ],
    [
      'reference',
      { content: [image(CAT, 'reference_image')] },
      'content[0].image_url.url',
      'does not accept reference images',
    ],
    ['image by bytes', { content: [image(DATA)] }, 'content[0].image_url.url', 'only by URL'],
    [
      'draft',
      { content: [{ type: 'draft_task', draft_task: { id: 'cgt-none' } }] },
      'content[0].draft_task.id',
      'was not found',
    ],
    ['duration', { duration: 9 }, 'duration', '4, 8 seconds'],
    ['ratio', { ratio: '1:1' }, 'ratio', '16:9'],
    ['resolution', { resolution: '4k' }, 'resolution', '720p'],
    ['sound', { generate_audio: true }, 'generate_audio', 'does not generate audio'],
  ])('is refused where it changes the meaning: a %s', async (_, body, param, why) => {
    const { create, upstream } = await start(CAN)
    expect(await create(body)).toMatchObject([400, { error: { param, message: expect.stringContaining(why) } }])
    expect(upstream.calls).toHaveLength(0)
  })

  it('is refused with all the reasons', async () => {
    const { create } = await start(CAN)
    const [, { error }] = await create({ duration: 9, ratio: '1:1' })
    expect(String(object(error)?.['message'])).toMatch(
      /films cannot serve this request with reel-1: .*seconds.*; it supports ratio/,
    )
  })

  it('is declared where it changes little', async () => {
    const { asked } = await start(CAN)
    const [given, lost] = await asked({
      seed: 5,
      watermark: true,
      camera_fixed: true,
      duration: 5,
      ratio: 'adaptive',
      generate_audio: false,
    })
    expect(given).not.toHaveProperty('seed')
    expect(given).toMatchObject({ duration: 8 })
    expect(lost?.split(/,\s*/).sort()).toEqual(['camera_fixed', 'duration;changed', 'ratio', 'seed', 'watermark'])
    expect((await asked({ duration: -1, watermark: false }))[1]).toBe('duration')
  })

  it('is what goes up where nothing is known', async () => {
    const { asked } = await start({})
    const odd = { duration: 600, ratio: '2:1', resolution: '8k' }
    expect(await asked({ ...odd, content: [image(CAT, 'first_frame'), image(DOG, 'last_frame')] })).toMatchObject([
      odd,
      null,
    ])
  })

  it('is fetched where only bytes are taken', async () => {
    const { files, options } = await startFiles()
    const { provider, given } = await vendor({ capabilities: { takes: 'base64' } })
    const videos = await startVideos({ providers: [provider], ...options })
    expect((await videos.create({ content: [image(`${files.origin}/cat.png`)] }))[0]).toBe(200)
    expect(given.at(-1)?.firstFrame).toEqual({ base64: PNG.toString('base64'), type: 'image/png' })
  })

  it('is not fetched from hosts that are private', async () => {
    const { files } = await startFiles()
    const { provider, upstream } = await vendor({ capabilities: { takes: 'base64' } })
    const { create } = await startVideos({ providers: [provider] })
    expect(await create({ content: [image(`${files.origin}/cat.png`)] })).toMatchObject([
      400,
      { error: { param: 'content[0].image_url.url' } },
    ])
    expect([files.calls.length, upstream.calls.length]).toEqual([0, 0])
  })
})
