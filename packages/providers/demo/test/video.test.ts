import { type TestCall, testCall } from '@headgate/conformance'
import type { InProcess, TaskRef, VideoRequest, VideoTask } from '@headgate/core/provider'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { demo } from '../src/index.ts'

const { video } = demo({})
const { signal } = new AbortController()

function local<In, Out>(
  call: InProcess<In, Promise<Out>> | { request: unknown } | undefined,
): InProcess<In, Promise<Out>> {
  if (!call || 'request' in call) throw new Error('the demo runs in this process')
  return call
}

function create(asked: Partial<VideoRequest> = {}, call: TestCall = testCall()): Promise<TaskRef> {
  const request = {
    model: 'demo',
    intent: 'i',
    text: 'A cat.',
    images: [],
    videos: [],
    audios: [],
    expiresAfter: 3600,
    body: {},
    ...asked,
  }
  return local<VideoRequest, TaskRef>(video?.create).run(request, signal, call)
}

/** As it is after so many milliseconds. What names it has been through a store. */
function lookAfter(ms: number, ref: TaskRef): Promise<VideoTask> {
  vi.setSystemTime(Date.now() + ms)
  return local<TaskRef, VideoTask>(video?.get).run(JSON.parse(JSON.stringify(ref)) as TaskRef, signal, testCall())
}

const cancel = (ref: TaskRef) => local<TaskRef, string>(video?.cancel).run(ref, signal, testCall())

describe('Videos of the demo', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('are queued, run by the clock, and are done', async () => {
    const ref = await create({ duration: 4, ratio: '1:1', seed: 7 })
    expect(await lookAfter(500, ref)).toEqual({ status: 'queued' })
    expect(await lookAfter(1000, ref)).toEqual({ status: 'running', progress: 0.25 })
    expect(await lookAfter(1000, ref)).toEqual({ status: 'running', progress: 0.75 })
    expect(await lookAfter(500, ref)).toMatchObject({
      status: 'succeeded',
      usage: { input: 0, output: 0, units: { seconds: 4 } },
      output: { seed: 7, ratio: '1:1', duration: 4, frameRate: 12 },
    })
  })

  it('can be canceled as long as they are queued', async () => {
    const ref = await create()
    expect(await cancel(ref)).toBe('canceled')
    expect(await lookAfter(1500, ref)).toMatchObject({ status: 'running' })
    expect(await cancel(ref)).toBe('not-cancelable')
  })

  it.each([
    ['fail', { status: 'failed', error: { kind: 'failed' } }],
    ['refuse', { status: 'failed', error: { kind: 'refused-output' } }],
    ['expire', { status: 'expired' }],
    ['queue', { status: 'queued' }],
    ['hang', { status: 'running', progress: 0.99 }],
  ])('come to another end by the word demo:%s', async (word, end) => {
    const ref = await create({ text: `A cat. demo:${word}` })
    expect(await lookAfter(3_600_000, ref)).toMatchObject(end)
  })

  it('are refused at once by the word demo:reject', async () => {
    await expect(create({ text: 'demo:reject' })).rejects.toMatchObject({ kind: 'content-policy' })
  })

  it('keep nothing of what was said', async () => {
    expect(JSON.stringify(await create({ text: 'A secret cat.' }))).not.toContain('secret')
  })

  it('say what they leave out', async () => {
    const call = testCall()
    await create({ firstFrame: { url: 'https://example.com/a.png' }, resolution: '1080p', audio: true }, call)
    expect(call.losses.map(({ path, kind }) => `${path};${kind}`)).toEqual([
      'firstFrame;dropped',
      'resolution;changed',
      'audio;dropped',
    ])
  })

  it('are alike for like requests, and others for others', async () => {
    const bytesOf = async (asked: Partial<VideoRequest>) => (await lookAfter(20_000, await create(asked))).video?.bytes
    const first = await bytesOf({ seed: 1 })
    expect(await bytesOf({ seed: 1 })).toEqual(first)
    expect(await bytesOf({ seed: 2 })).not.toEqual(first)
    expect(await bytesOf({ seed: 1, text: 'A dog.' })).not.toEqual(first)
  })
})
