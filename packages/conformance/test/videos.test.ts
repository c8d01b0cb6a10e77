import type { HttpRequest, VideoRequest, VideoSupport } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { examine, type RemoteVideoFacts } from '../src/index.ts'
import { filmFacts, films, ownFilms, RIGHT } from './videos.ts'

const told = async (
  changes: Parameters<typeof films>[0],
  only = /./,
  facts: Partial<RemoteVideoFacts> = {},
): Promise<string> => (await examine(films(changes), filmFacts(facts), only)).map(({ message }) => message).join('\n')

type RemoteSupport = Extract<VideoSupport['create'], { request: unknown }>
const { request, response } = RIGHT.create as RemoteSupport
const get = RIGHT.get as Extract<VideoSupport['get'], { request: unknown }>
const { capabilities } = RIGHT

/** The right adapter, but that its request is changed. */
const asking = (change: (body: Record<string, unknown>, given: VideoRequest) => object): object => ({
  create: {
    response,
    request(given, call): HttpRequest {
      const made = request(given, call)
      const { json } = made.body as { json: Record<string, unknown> }
      return { ...made, body: { json: change(json, given) } }
    },
  } satisfies RemoteSupport,
})

/** The right adapter, but that what it reads of a task is changed. */
const reading = (change: (task: object) => object): object => ({
  get: { ...get, response: (...given: Parameters<typeof get.response>) => change(get.response(...given)) },
})

describe('A provider of videos that is right', () => {
  it('passes', async () => {
    expect(await told({})).toBe('')
  })
})

describe('A provider of videos is found', () => {
  it.each<[string, RegExp, string, object]>([
    [
      'whose path is another one',
      /^reaches/,
      'the vendor serves "POST /v1/films": fix `video.create.request`',
      { create: { ...RIGHT.create, request: () => ({ method: 'POST', url: '/movies', body: { json: {} } }) } },
    ],
    [
      'that sends what the vendor refuses',
      /^reaches/,
      'The vendor would reject the minimal request: unknown: fps',
      asking((body) => ({ ...body, fps: 24 })),
    ],
    [
      'that gives another id',
      /^reaches/,
      'returns the id "0"',
      { create: { ...RIGHT.create, response: () => ({ id: '0' }) } },
    ],
    [
      'that leaves out a seed in silence',
      /^sends all options/,
      "of `seed` 42 the vendor read absent, and it is not declared as lost with `call.lose('seed', …)`",
      asking(({ seed: _, ...body }) => body),
    ],
    [
      'that forgets sound that is not wanted',
      /^sends all options/,
      "of `audio` false the vendor read absent, and it is not declared as lost with `call.lose('audio', …)`",
      asking((body) => ({ ...body, loud: body['loud'] || undefined })),
    ],
    [
      'that mixes up its frames',
      /^sends all options/,
      'the vendor read `images`',
      asking(({ ending, ...body }) => ({ ...body, ...(ending ? { cast: [ending] } : {}) })),
    ],
    [
      'that claims a duration which the vendor refuses',
      /^sends all options/,
      'The vendor would reject duration 30 with a text: no film is 30 seconds long',
      { capabilities: { ...(capabilities as object), durations: [5, 30] } },
    ],
    [
      'that claims what it never takes',
      /^sends all options/,
      '`capabilities.seed` claims an ability that `accepts` always rejects ("no seeds")',
      { accepts: ({ seed }: VideoRequest) => (seed === undefined ? [] : ['no seeds']) },
    ],
    [
      'that names one creation twice',
      /^sends a unique name/,
      'a retried creation would create two tasks',
      {
        create: {
          response,
          request: (given: VideoRequest, call: never) => ({
            ...request(given, call),
            headers: { 'x-film-intent': `${given.intent}-${Math.random()}` },
          }),
        },
      },
    ],
    [
      'that takes an unknown state for failed',
      /^treats an unknown state/,
      'For the unknown state',
      {
        get: {
          ...get,
          response: (...given: Parameters<typeof get.response>) =>
            (given[0].body as { state: string }).state === 'a-state-of-the-future'
              ? { status: 'failed' }
              : get.response(...given),
        },
      },
    ],
    [
      'that takes any end for a success',
      /^does not treat a task/,
      'For a response without the URL of a video, `get` returns "succeeded"',
      { get: { ...get, response: () => ({ status: 'succeeded', video: {} }) } },
    ],
    [
      'that reads one state wrongly',
      /^reads that a task is expired/,
      'The vendor reports a task that is expired, which is "expired"',
      reading((task) => ({ ...task, status: 'running' })),
    ],
    [
      'that does not tell moderation from a fault',
      /refused by moderation/,
      'A task that moderation rejected has the kind failed: use refused-text, refused-media or refused-output.',
      reading((task) => ({ ...task, error: { kind: 'failed', message: 'Nobody may see that.' } })),
    ],
    [
      'that calls a fault a refusal',
      /^reads that a task is failed/,
      'A task that failed with an error has the kind refused-text',
      reading((task) => ({ ...task, error: { kind: 'refused-text', message: 'The film tore.' } })),
    ],
    [
      'that gives a code of the Ark wire',
      /^reads that a task is failed/,
      'The failure has the kind "InternalServiceError": use one of refused-text, refused-media, refused-output',
      reading((task) => ({ ...task, error: { kind: 'InternalServiceError', message: 'The film tore.' } })),
    ],
    [
      'that names a loss as the Ark wire does',
      /^sends all options/,
      "it is not declared as lost with `call.lose('audio', …)`",
      {
        create: {
          response,
          request(given: VideoRequest, call: Parameters<typeof request>[1]) {
            if (given.audio === false) call.lose('generate_audio', 'the vendor always makes sound')
            return request({ ...given, ...(given.audio === false && { audio: true }) }, call)
          },
        },
      },
    ],
    [
      'that keeps the words of the vendor to itself',
      /^reads that a task is failed/,
      "it must be the vendor's message",
      reading((task) => ({ ...task, error: { kind: 'failed', message: 'It failed.' } })),
    ],
    [
      'that would send its credential to another host',
      /^reads that a task is succeeded/,
      'the credential must not be sent there',
      reading((task) => ({ ...task, video: { url: 'https://cdn.films.example/7f31c2.mp4', needsCredential: true } })),
    ],
    [
      'that does not say what is charged',
      /^reads that a task is succeeded/,
      '`usage` is',
      reading((task) => ({ ...task, usage: undefined })),
    ],
    [
      'that takes a late cancel for a failure',
      /^cancels/,
      'let `cancel.reads` accept the failure as a response',
      { cancel: { ...RIGHT.cancel, reads: () => false } },
    ],
    ['that can not cancel', /^cancels/, 'The vendor can cancel tasks', { cancel: undefined }],
    [
      'that finds the task of another',
      /^finds the task/,
      'The vendor has a task of another creation: `find` must return undefined',
      { find: { ...RIGHT.find, response: ({ body }: { body: { films: object[] } }) => body.films[0] } },
    ],
  ])('%s', async (_, only, message, video) => {
    expect(await told({ video }, only)).toContain(message)
  })

  it.each<[string, RegExp, string, Parameters<typeof films>[0]]>([
    [
      'that does not show its credential',
      /^serves a task/,
      'The upstream expects the credential in the header `x-films-key`, but the request has none',
      { provider: { credential: { kind: 'none' } } },
    ],
    [
      'that lets the gateway charge something else',
      /^serves a task/,
      'The usage row has',
      { video: reading((task) => ({ ...task, usage: { input: 0, output: 0, units: { seconds: 9 } } })) },
    ],
    [
      'that never ends a task that failed',
      /^reports to callers how/,
      'The vendor reports failed, but callers get',
      { video: reading((task) => ('error' in task ? { status: 'running' } : task)) },
    ],
    [
      'that tells callers of a moderation as of their mistake',
      /^reports in the shape/,
      'Moderation rejects: expected status 400 in the shape of Ark; callers get status 400',
      {
        provider: {
          readError: ({ status }) => (status < 400 ? undefined : { kind: 'invalid-request', message: 'No.' }),
        },
      },
    ],
    [
      'that does not find a task again',
      /^creates no second task/,
      'The vendor has the task of a creation without a response',
      { video: { find: { ...RIGHT.find, response: () => undefined } } },
    ],
    [
      'that sends on its own what it denies',
      /^does not send options/,
      '`capabilities.watermark` denies watermark true, but it reached the vendor',
      { video: asking((body) => ({ ...body, stamp: true })) },
    ],
    [
      'that tells its key',
      /^keeps its key/,
      "The provider's key was exposed",
      { provider: { credential: { kind: 'header', name: 'x-films-key', value: 'another' } } },
    ],
    [
      "that tells the vendor's id of a task",
      /^keeps its key/,
      "The vendor's id of a task was exposed",
      { video: reading((task) => ({ ...task, output: { ratio: 'film-7f31c2' } })) },
    ],
  ])('by a gateway: %s', async (_, only, message, changes) => {
    expect(await told(changes, only)).toContain(message)
  })

  it('that claims too much of another of its models', async () => {
    const claims = {
      capabilities: (model: string) => ({
        ...(capabilities as object),
        durations: model === 'films-1' ? [5] : [5, 30],
      }),
    }
    const facts = filmFacts().video as RemoteVideoFacts
    const read: RemoteVideoFacts['read'] = (given) =>
      facts.read({ ...given, body: { ...(given.body as object), model: 'films-1' } })
    expect(await told({ video: claims }, /^sends all options/, { models: ['films-2'], read })).toContain(
      'films-2: The vendor would reject duration 30 with a text',
    )
  })

  it('that takes all refusals for one', async () => {
    const found = await told({ provider: { readError: () => undefined } }, /rejections/)
    expect(found).toContain('moderation rejects the request, which is "content-policy"')
  })

  it('that the facts say nothing of', async () => {
    const { video: _, ...facts } = filmFacts()
    expect((await examine(films(), facts, /^has exactly the families/)).map(({ message }) => message)).toEqual([
      'The provider has `video`, but the facts of the test do not describe it: add `video`.',
    ])
  })

  it('that asks another host for a task', async () => {
    const away = { get: { ...get, request: () => ({ method: 'GET', url: 'https://films.example.net/1' }) } }
    expect(await told({ video: away }, /^sends requests only/)).toContain(
      '`video.get.request` sends a request to films.example.net',
    )
  })
})

describe('A provider of videos in this process', () => {
  const texts = { succeeded: 'a cat', failed: 'a torn film', refused: 'a secret', expired: 'a long film' }
  const ends = { 'a cat': 'succeeded', 'a torn film': 'failed', 'a secret': 'refused', 'a long film': 'expired' }
  const found = async (adapter: ReturnType<typeof ownFilms>, only = /./) =>
    (await examine(adapter, { config: {}, video: { model: 'own-1', texts } }, only))
      .map(({ message }) => message)
      .join('\n')

  it('passes', async () => {
    expect(await found(ownFilms(ends))).toBe('')
  })

  it('is found where a task ends in another way, or has no video', async () => {
    expect(await found(ownFilms({ ...ends, 'a torn film': 'succeeded' }), /^creates in-process tasks/)).toContain(
      'ended as succeeded, expected failed',
    )
    const bare = { get: { run: async () => ({ status: 'succeeded' }) } }
    expect(await found(ownFilms(ends, bare), /^creates in-process tasks/)).toContain('A succeeded task has no `video`.')
  })

  it('is found where it does not stop', async () => {
    const deaf = { create: { run: () => new Promise(() => {}) } }
    expect(await found(ownFilms(ends, deaf), /^stops/)).toContain('`create.run` continues after its signal aborts')
  })
})
