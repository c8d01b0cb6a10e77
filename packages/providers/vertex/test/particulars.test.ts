import { testCall } from '@headgate/conformance'
import type {
  ChatSupport,
  Exchange,
  Lease,
  ProviderInstance,
  TaskRef,
  VideoRequest,
  VideoTask,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { vertex } from '../src/index.ts'
import { keyFile } from './account.ts'
import { HOME, vendor } from './vendor.ts'

/** How it asks for a video. */
function creating({ video }: Pick<ProviderInstance, 'video'>): Exchange<VideoRequest, TaskRef> {
  if (!video || !('request' in video.create)) throw new TypeError('It asks nobody for videos.')
  return video.create
}

const config = { project: 'p', location: 'us-central1', key: keyFile() }
const provider = vertex(config)
const supportOf = (model: string, config_: Parameters<typeof vertex>[0] = config) =>
  (vertex(config_).chat as readonly ChatSupport[]).find(({ speaks }) => speaks?.(model))
const create = creating(provider)
const get = provider.video?.get as Exchange<TaskRef, VideoTask>
const answer = (body: unknown, status = 200) => ({ status, headers: {}, body, bytes: new Uint8Array() })
const asked = (given: Partial<VideoRequest>): VideoRequest => ({
  model: 'veo-3.1-generate-001',
  intent: 'i',
  text: 'a cat',
  images: [],
  videos: [],
  audios: [],
  expiresAfter: 3_600,
  body: {},
  ...given,
})
const task = (body: unknown) => get.response(answer(body), { id: vendor.id }, []) as VideoTask
const image = { base64: 'AAAA', type: 'image/png' }

describe('Vertex AI', () => {
  // Written from https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
  it('asks Claude by a version in the body, where the features of a header go too', () => {
    const patch = supportOf('claude-x')?.patchRequest
    const call = testCall({ headers: { 'anthropic-beta': 'a, b' } })
    expect(patch?.({ model: 'claude-x', max_tokens: 1, stream: true }, call)).toEqual({
      max_tokens: 1,
      stream: true,
      anthropic_version: 'vertex-2023-10-16',
      anthropic_beta: ['a', 'b'],
    })
  })

  it('is at the host of its location', () => {
    const hostAt = (location: string) => vertex({ ...config, location }).baseUrl
    expect(['global', 'eu', 'europe-west4'].map(hostAt)).toEqual([
      'https://aiplatform.googleapis.com',
      'https://aiplatform.eu.rep.googleapis.com',
      'https://europe-west4-aiplatform.googleapis.com',
    ])
    expect(() => vertex({ ...config, location: 'x.example/' })).toThrow('letters')
    expect(() => vertex({ ...config, project: '../p' })).toThrow('letters')
  })

  // Written from https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/mistral
  it('asks Mistral by a name without its version, which stands in the path', () => {
    const mistral = supportOf('mistralai/mistral-medium-3@001')
    const call = testCall({ model: 'mistralai/mistral-medium-3@001', stream: true })
    expect(mistral?.path(call)).toBe(`${HOME}/publishers/mistralai/models/mistral-medium-3@001:streamRawPredict`)
    expect(mistral?.patchRequest?.({ model: 'mistralai/mistral-medium-3@001', messages: [] }, call)).toEqual({
      model: 'mistral-medium-3',
      messages: [],
    })
  })

  // Written from
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference
  it('asks Gemini alone with a key, where no project is named', () => {
    const express = vertex({ apiKey: 'k' })
    expect(express.baseUrl).toBe('https://aiplatform.googleapis.com')
    expect(express.credential).toEqual({ kind: 'header', name: 'x-goog-api-key', value: 'k' })
    expect([express.video, express.embeddings, express.chat?.length]).toEqual([undefined, undefined, 1])
    expect(supportOf('gemini-2.5-flash', { apiKey: 'k' })?.path(testCall({ model: 'gemini-2.5-flash' }))).toBe(
      '/v1/publishers/google/models/gemini-2.5-flash:generateContent',
    )
    expect(supportOf('claude-x', { apiKey: 'k' })).toBeUndefined()
    expect(() => vertex({ apiKey: 'k', project: 'p' })).toThrow('GOOGLE_CLOUD_LOCATION')
    expect(() => vertex({ project: 'p', location: 'l' })).toThrow('GOOGLE_APPLICATION_CREDENTIALS')
  })

  // Written from https://docs.cloud.google.com/compute/docs/access/authenticate-workloads#applications
  it('obtains the token of the machine that it runs on where it is told to', () => {
    const { credential } = vertex({ project: 'p', location: 'global', metadata: true })
    const { hosts, obtain } = (credential as unknown as { lease: Lease<unknown> }).lease
    expect(hosts).toEqual(['http://169.254.169.254'])
    expect(obtain.request({ now: new Date() })).toEqual({
      method: 'GET',
      url: 'http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform',
      headers: { 'metadata-flavor': 'Google' },
    })
  })

  // Written from https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation
  it('makes videos of eight seconds from references, with sound unless asked otherwise', () => {
    const call = testCall()
    const { body } = create.request(asked({ images: [image], duration: 4 }), call)
    const parameters = { sampleCount: 1, durationSeconds: 8, generateAudio: true }
    const referenceImages = [{ image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }, referenceType: 'asset' }]
    expect(body).toEqual({ json: { instances: [{ prompt: 'a cat', referenceImages }], parameters } })
    expect(call.losses).toMatchObject([{ path: 'duration', kind: 'changed' }])
    expect(create.request(asked({ model: 'veo-2.0-generate-001' }), call).body).toMatchObject({
      json: { parameters: { sampleCount: 1 } },
    })
  })

  it('sends results to a bucket, and reads them there with its credential', () => {
    const storing = vertex({ ...config, storageUri: 'gs://films/headgate/' })
    const made = creating(storing).request(asked({}), testCall())
    expect(made.body).toMatchObject({ json: { parameters: { storageUri: 'gs://films/headgate/' } } })
    expect([storing.hosts, provider.hosts]).toEqual([['storage.googleapis.com'], undefined])
    const gcsUri = 'gs://films/headgate/1 of 2/sample_0.mp4'
    expect(task({ done: true, response: { videos: [{ gcsUri, mimeType: 'video/mp4' }] } }).video).toEqual({
      url: 'https://storage.googleapis.com/films/headgate/1%20of%202/sample_0.mp4',
      needsCredential: true,
      type: 'video/mp4',
    })
  })

  it('keeps the model of an operation, which it is asked for by', () => {
    const ref = create.response(answer({ name: vendor.id }), asked({ model: 'veo-3.1-lite-generate-001' }), [])
    expect(ref).toEqual({ id: vendor.id, state: { model: 'veo-3.1-lite-generate-001' } })
    expect(get.request(ref as TaskRef, testCall()).url).toBe(
      `${HOME}/publishers/google/models/veo-3.1-lite-generate-001:fetchPredictOperation`,
    )
    expect(() => create.response(answer({}), asked({}), [])).toThrow('name')
  })

  it('tells what its filters refused, and who is at fault otherwise', () => {
    const failed = (code: number, message: string) => task({ done: true, error: { code, message } }).error?.kind
    expect(failed(3, "The input image violates Vertex AI's usage guidelines. Support codes: 15236754")).toBe(
      'refused-media',
    )
    expect(failed(3, 'This prompt contains sensitive words.')).toBe('refused-text')
    expect([failed(3, 'Bad mimeType.'), failed(8, 'Quota.'), failed(13, 'Oops.')]).toEqual([
      'invalid-request',
      'over-quota',
      'failed',
    ])
    expect(task({ done: true, response: { raiMediaFilteredCount: 1 } }).error?.kind).toBe('refused-output')
    expect(task({ done: true, response: {} }).error?.kind).toBe('failed')
  })
})
