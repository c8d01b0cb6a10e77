import { describe, expect, it } from 'vitest'
import {
  type Json,
  mediaUrl,
  missingInputs,
  namedInputs,
  refusalIn,
  refusedPart,
  taskId,
  type VideoFailure,
  type VideoRequest,
  type VideoTask,
} from '../../../core/src/provider.ts'
import { startVideos, videoProvider } from './support.ts'

/** A gateway whose tasks are in this process: as `task`. */
async function start(task: VideoTask, native?: 'ark') {
  const provider = videoProvider('http://127.0.0.1:1', {
    ...(native && { native }),
    capabilities: {},
    create: {
      async run({ audio, user, cameraFixed, firstFrame }, _signal, call) {
        for (const [name, value] of Object.entries({ audio, user, cameraFixed, firstFrame }))
          if (value !== undefined) call.lose(name, 'the test has no such field')
        return { id: 'upstream-task' }
      },
    },
    get: { run: async () => task },
  })
  return startVideos({ providers: [provider] })
}

const CODES: Readonly<Record<VideoFailure['kind'], string>> = {
  'refused-text': 'InputTextSensitiveContentDetected',
  'refused-media': 'InputImageSensitiveContentDetected',
  'refused-output': 'OutputVideoSensitiveContentDetected',
  'invalid-request': 'InvalidParameter',
  forbidden: 'AccessDenied',
  'over-quota': 'QuotaExceeded',
  overloaded: 'ServerOverloaded',
  failed: 'InternalServiceError',
}

describe('A task that failed', () => {
  it.each(Object.entries(CODES) as [VideoFailure['kind'], string][])('by %s has the code %s', async (kind, code) => {
    const { create, get, rows } = await start({ status: 'failed', error: { kind, message: 'No.' } })
    const [, { id }] = await create()
    expect((await get(id))[1]).toMatchObject({ status: 'failed', error: { code, message: 'No.' } })
    expect(rows[0]?.status).toBe(kind.startsWith('refused-') ? 400 : 500)
  })

  it('has the code of a provider that speaks the wire of Ark', async () => {
    const code = 'InputVideoSensitiveContentDetected.PrivacyInformation'
    const native: Json = { status: 'failed', error: { code, message: 'No.' } }
    const { create, get } = await start(
      { status: 'failed', error: { kind: 'refused-media', message: 'No.' }, native },
      'ark',
    )
    const [, { id }] = await create()
    expect((await get(id))[1]).toMatchObject({ error: { code, message: 'No.' } })
  })
})

describe('A task that succeeded', () => {
  it('has the properties of its video in the fields of Ark', async () => {
    const { create, get } = await start({
      status: 'succeeded',
      video: { url: 'https://films.example/1.mp4' },
      output: { duration: 5, ratio: '1:1', resolution: '720p', seed: 7, frameRate: 24, audio: false },
    })
    const [, { id }] = await create()
    expect((await get(id))[1]).toMatchObject({
      duration: 5,
      ratio: '1:1',
      resolution: '720p',
      seed: 7,
      framespersecond: 24,
      generate_audio: false,
    })
  })
})

it('A loss of an adapter has the name of the caller’s field', async () => {
  const { post } = await start({ status: 'queued' })
  const answer = await post('/api/v3/contents/generations/tasks', {
    model: 'reel-1',
    content: [
      { type: 'text', text: 'a cat' },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    ],
    generate_audio: true,
    camera_fixed: true,
  })
  const lost = answer.headers.get('headgate-lost') ?? ''
  expect(['generate_audio', 'camera_fixed', 'content'].filter((name) => lost.includes(name))).toHaveLength(3)
  expect(lost).not.toContain('cameraFixed')
})

describe('Adapters read', () => {
  it('media as URLs', () => {
    expect(mediaUrl({ url: 'https://example.com/a.png' })).toBe('https://example.com/a.png')
    expect([mediaUrl({ base64: 'AAA=', type: 'image/webp' }), mediaUrl({ base64: 'AAA=' })]).toEqual([
      'data:image/webp;base64,AAA=',
      'data:image/png;base64,AAA=',
    ])
  })

  it('ids of tasks, and refuse responses without one', () => {
    expect(taskId({ body: { data: { task_id: 't-1' } } }, 'data', 'task_id')).toBe('t-1')
    for (const body of [undefined, 'text', {}, { data: null }, { data: { task_id: '' } }, { data: { task_id: 7 } }])
      expect(() => taskId({ body }, 'data', 'task_id')).toThrow('its response has no `data.task_id`')
  })

  it.each<[string, string | undefined]>([
    ['The prompt was rejected by content moderation.', 'refused-text'],
    ['Your request was blocked by our usage guidelines.', 'refused-text'],
    ['The uploaded image violates our policies.', 'refused-media'],
    ['The input video contains sensitive content.', 'refused-media'],
    ['Generated video rejected by content moderation.', 'refused-output'],
    ['The video was blocked by safety filters.', 'refused-output'],
    ['The input or output was flagged as sensitive. (E005)', 'refused-output'],
    ['moderation_blocked', 'refused-output'],
    ['Failure to pass the risk control system', 'refused-output'],
    ['NSFW', 'refused-output'],
    ['SAFETY_CHECK_TYPE_BIO', 'refused-output'],
    ['content_filter', 'refused-output'],
    ['Invalid value for safety_settings.', undefined],
    ['The service failed.', undefined],
    ['Unsupported duration.', undefined],
    ['Unsupported content-type of the image.', undefined],
    ['Request contains an invalid argument: text too long.', undefined],
    ['', undefined],
  ])('refusals from messages: %s', (message, kind) => {
    expect(refusalIn(message)).toBe(kind)
  })

  it('inputs under the names of a model: what is missing is refused or lost', () => {
    const request: VideoRequest = {
      model: 'm',
      intent: '1',
      text: 'a cat',
      images: [{ base64: 'AAA=' }],
      videos: [],
      audios: [],
      expiresAfter: 60,
      body: {},
      firstFrame: { url: 'https://example.com/a.png' },
      ratio: 'adaptive',
      seed: 7,
      duration: 5,
      user: 'u-1',
    }
    const names = { images: 'image_urls', seed: 'seed', duration: 'seconds', user: null }
    const lost: string[] = []
    const call = { lose: (path: string) => void lost.push(path) }
    expect(namedInputs(request, names, call, { duration: '5s' })).toEqual({
      image_urls: ['data:image/png;base64,AAA='],
      seed: 7,
      seconds: '5s',
    })
    expect([lost, missingInputs(request, names)]).toEqual([['user'], ['it does not support a first frame']])
  })

  it('the refused part of a message, with a fallback', () => {
    expect(refusalIn('It is prohibited.', 'refused-text')).toBe('refused-text')
    expect(refusedPart('["body","start_image_url"]', 'refused-output')).toBe('refused-media')
  })
})
