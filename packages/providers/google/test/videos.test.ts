import { testCall } from '@headgate/conformance'
import { type Exchange, isNext, type TaskRef, type VideoRequest, type VideoTask } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { google } from '../src/index.ts'

const { video, readError } = google({ apiKey: 'k' })
const create = video?.create as Exchange<VideoRequest, TaskRef>
const get = video?.get as Exchange<TaskRef, VideoTask>
const answer = (body: unknown, status = 200) => ({ status, headers: {}, body, bytes: new Uint8Array() })
const asked = (given: Partial<VideoRequest>): VideoRequest => ({
  model: 'gemini-omni-1.2-flash',
  intent: 'i',
  text: 'a cat',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 3_600,
  body: {},
  ...given,
})
const image = { base64: 'AAAA', type: 'image/png' }
const sent = (given: Partial<VideoRequest>) => create.request(asked(given), testCall()).body
const read = (body: unknown, ...earlier: unknown[]) =>
  get.response(
    answer(body),
    { id: '1' },
    earlier.map((one) => answer(one)),
  )
const completed = (content: object) => ({
  id: '1',
  status: 'completed',
  steps: [{ type: 'model_output', content: [content] }],
})

// Written from https://ai.google.dev/gemini-api/docs/omni
describe('Videos of Google', () => {
  it('tell by tags what images are for, unless the caller does', () => {
    const text = (given: Partial<VideoRequest>) =>
      (sent(given) as { json: { input: { text?: string }[] } }).json.input.at(-1)?.text
    expect(text({})).toBe('a cat')
    expect(text({ firstFrame: image })).toBe('<FIRST_FRAME> a cat')
    expect(text({ firstFrame: image, lastFrame: image })).toBe('<FIRST_FRAME> <LAST_FRAME> a cat')
    expect(text({ images: [image, image] })).toBe('[# References <IMAGE_REF_0>@Image1 <IMAGE_REF_1>@Image2] a cat')
    expect(text({ images: [image], text: 'in the style of <IMAGE_REF_0>' })).toBe('in the style of <IMAGE_REF_0>')
  })

  it('of more than a text or a first frame are ten seconds long at most', () => {
    const refused = (given: Partial<VideoRequest>) => video?.accepts?.(asked({ duration: 12, ...given })).length
    expect([
      refused({}),
      refused({ firstFrame: image }),
      refused({ firstFrame: image, lastFrame: image }),
      refused({ images: [image] }),
    ]).toEqual([0, 0, 1, 1])
    expect(video?.accepts?.(asked({ images: [image], duration: 10 }))).toEqual([])
  })

  it('are files that answer to the key only, once they are processed', () => {
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/ab-1:download?alt=media'
    const interaction = completed({ type: 'video', mime_type: 'video/mp4', uri })
    const asks = read(interaction)
    expect(isNext(asks) && asks.request).toEqual({ method: 'GET', url: '/v1beta/files/ab-1' })
    expect(read({ name: 'files/ab-1', state: 'PROCESSING' }, interaction)).toEqual({ status: 'running' })
    const error = { code: 13, message: 'It could not be read.' }
    expect(read({ name: 'files/ab-1', state: 'FAILED', error }, interaction)).toMatchObject({
      status: 'failed',
      error: { message: error.message },
    })
    const file = { name: 'files/ab-1', state: 'ACTIVE', mimeType: 'video/mp4', expirationTime: '2030-01-01T00:00:00Z' }
    expect(read(file, interaction)).toEqual({
      status: 'succeeded',
      video: {
        url: '/v1beta/files/ab-1:download?alt=media',
        needsCredential: true,
        type: 'video/mp4',
        expiresAt: Date.UTC(2030, 0),
      },
    })
  })

  it('come within the answer where they are small', () => {
    expect(read(completed({ type: 'video', mime_type: 'video/mp4', data: 'AAAA' }))).toEqual({
      status: 'succeeded',
      video: { bytes: Buffer.from('AAAA', 'base64'), type: 'video/mp4' },
    })
  })

  it('fail where the model writes , or waits for what nobody does', () => {
    const words = completed({ type: 'text', text: 'I can not make that.' })
    expect(read(words)).toMatchObject({
      status: 'failed',
      error: { kind: 'failed', message: 'I can not make that.' },
    })
    expect(read({ id: '1', status: 'requires_action' })).toMatchObject({ status: 'failed' })
    expect(read({ id: '1', status: 'budget_exceeded' })).toMatchObject({ error: { kind: 'over-quota' } })
    expect(read({ id: '1', status: 'requires_continuation' })).toEqual({ status: 'running' })
  })

  it('are refused by filters of the text, of images, and of what was made', () => {
    const failed = (message: string) =>
      (read({ id: '1', status: 'failed', errors: [{ code: 'x', message }] }) as VideoTask).error?.kind
    expect(failed('The prompt was blocked.')).toBe('refused-text')
    expect(failed('The uploaded image violates our policies.')).toBe('refused-media')
    expect(failed('The video was blocked by safety filters.')).toBe('refused-output')
    expect(
      readError?.(answer({ error: { code: 'invalid_request', message: 'The prompt was blocked.' } }, 400))?.kind,
    ).toBe('content-policy')
    expect(readError?.(answer({ error: { message: 'Invalid value for safety_settings.' } }, 400))).toBeUndefined()
  })
})
