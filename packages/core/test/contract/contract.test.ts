import { describe, expect, it } from 'vitest'
import { testCall } from '../../../conformance/src/test-call.ts'
import type { Codec } from '../../src/codec.ts'
import { type ChatSupport, type Credential, type HttpResponse, isNext, type Provider } from '../../src/provider.ts'
import { keyFile } from './key-file.ts'
import { azure } from './sketches/azure.ts'
import { bedrock } from './sketches/bedrock.ts'
import { fal, polled } from './sketches/fal.ts'
import { localEmbeddings } from './sketches/local.ts'
import { ollama } from './sketches/ollama.ts'
import { vertex } from './sketches/vertex.ts'

/** A format that is only named here, never read or written. */
const named = (id: string) => ({ id }) as Codec

const signal = new AbortController().signal
const call = testCall({ model: 'claude-x', stream: true, headers: { 'anthropic-beta': 'a,b' } })

function supports({ chat = [] }: Provider): ChatSupport[] {
  return chat.flatMap((one) => ('run' in one ? [] : one))
}

function answer(status: number, body: unknown): HttpResponse {
  return { status, body, headers: {}, bytes: new Uint8Array() }
}

const final = { method: 'POST', url: new URL('https://upstream.example/x'), headers: {}, body: 'bytes' }
const aws = bedrock(named('converse'))({ region: 'r', role: 'gateway' })

function signing({ credential }: Provider): Extract<Credential, { kind: 'signed' }> {
  if (credential.kind !== 'signed') throw new TypeError('The sketch signs its requests.')
  return credential
}

describe('The contract of a provider', () => {
  it('has one format for some models and another for others, and leases a token', () => {
    const provider = vertex({ project: 'p', location: 'l', key: keyFile() })
    const [open, claude, gemini] = supports(provider)
    const models = ['meta/llama', 'claude-x', 'gemini-x']
    expect([open, claude, gemini].map((one) => models.filter((model) => one?.speaks?.(model)))).toEqual(
      models.map((model) => [model]),
    )
    expect(claude?.path(call)).toBe('/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:streamRawPredict')
    expect(claude?.patchRequest?.({ model: 'claude-x', max_tokens: 1 }, call)).toEqual({
      max_tokens: 1,
      anthropic_version: 'vertex-2023-10-16',
      anthropic_beta: ['a', 'b'],
    })
    const { lease, sign } = signing(provider)
    const now = new Date('2026-01-01T00:00:00Z')
    const leased = lease?.obtain.response(answer(200, { access_token: 'token-1', expires_in: 3_600 }), [], { now })
    expect(leased).toMatchObject({ expiresAt: new Date('2026-01-01T01:00:00Z') })
    expect(lease?.secrets(leased)).toEqual(['token-1'])
    expect(sign(final, leased, now)).toEqual({ authorization: 'Bearer token-1' })
  })

  it('leases over two requests, and says itself what is stale', () => {
    const { lease, sign, stale } = signing(aws)
    const given = { now: new Date(0) }
    const asked = lease?.obtain.response(answer(200, 'session-of-the-machine'), [], given)
    expect(isNext(asked) && asked.request.headers).toEqual({ 'x-aws-ec2-metadata-token': 'session-of-the-machine' })
    const body = { AccessKeyId: 'i', SecretAccessKey: 's', Token: 't', Expiration: '2026-01-01T06:00:00Z' }
    const keys = lease?.obtain.response(answer(200, body), [answer(200, 'session-of-the-machine')], given)
    expect(keys).toMatchObject({ expiresAt: new Date('2026-01-01T06:00:00Z') })
    expect(lease?.secrets(keys)).toEqual(['s', 't'])
    expect(sign(final, keys, new Date())).toMatchObject({ 'x-amz-security-token': 't' })
    expect([403, 401].map((status) => stale?.(answer(status, { __type: 'com.amazon#ExpiredTokenException' })))).toEqual(
      [true, false],
    )
  })

  it('has deployments that are models, by a key or by a token', () => {
    const baseUrl = 'https://r.openai.azure.com'
    const old = azure({ baseUrl, apiKey: 'k', apiVersion: '2024-10-21', deployments: { mine: 'gpt-5' } })
    expect(supports(old)[0]?.path({ ...call, model: 'mine' })).toBe(
      '/openai/deployments/mine/chat/completions?api-version=2024-10-21',
    )
    expect([old.credential, old.known]).toEqual([
      { kind: 'header', name: 'api-key', value: 'k' },
      [{ id: 'mine', is: 'gpt-5' }],
    ])
    const entra = azure({ baseUrl, entra: { tenant: 't', clientId: 'c', clientSecret: 's' } })
    expect(signing(entra).lease?.hosts).toEqual(['login.microsoftonline.com'])
    expect(supports(entra)[0]?.path(call)).toBe('/openai/v1/chat/completions')
  })

  it('has frames within frames, and formats that the package brings', () => {
    const [claude, converse] = supports(aws)
    const frame = { data: '', json: { bytes: btoa('{"type":"ping"}') } }
    expect(claude?.patchFrame?.(frame, call)).toEqual({ type: 'ping' })
    expect(claude?.patchFrame?.({ data: '', json: { p: 'padding' } }, call)).toBeUndefined()
    expect(claude?.framing).toBe('aws-event-stream')
    expect(converse?.format).toEqual({ id: 'converse' })
    expect(converse?.path({ ...call, model: 'amazon.nova:0', stream: false })).toBe('/model/amazon.nova%3A0/converse')
  })

  it('has video that is asked for in two steps', () => {
    const { video, readError } = fal({ apiKey: 'k' })
    if (!video || 'run' in video.create || 'run' in video.get) throw new Error('fal is remote')
    const media = { images: [], videos: [], audios: [] }
    const request = { model: 'owner/app', intent: 'i', text: 'a cat', ...media, expiresAfter: 3600, body: {} }
    const urls = { status_url: 'https://q/s', response_url: 'https://q/r', cancel_url: 'https://q/c' }
    const task = video.create.response(answer(200, { request_id: 'id', ...urls }), request, [])
    if (isNext(task)) throw new Error('the task is there at once')

    expect(video.get.request(task, call).url).toBe('https://q/s')
    expect(video.get.response(answer(200, { status: 'IN_PROGRESS' }), task, [])).toEqual({ status: 'running' })
    const done = video.get.response(answer(200, { status: 'COMPLETED' }), task, [])
    expect(isNext(done) && done.request).toEqual({ method: 'GET', url: 'https://q/r' })
    expect(video.get.response(answer(200, { video: { url: 'https://v' } }), task, [])).toEqual({
      status: 'succeeded',
      video: { url: 'https://v' },
    })
    const asking = polled.response(answer(200, { request_id: 'id', ...urls }), request, [])
    expect(isNext(asking) && [asking.request.url, asking.afterMs]).toEqual(['https://q/s', 2_000])
    expect(readError?.(answer(422, { detail: [{ msg: 'no prompt' }] }))).toEqual({
      kind: 'invalid-request',
      message: 'no prompt',
    })
  })

  it('has families that run in this process', async () => {
    let stopped = false
    const provider = localEmbeddings(
      async (inputs) => inputs.map((input) => [input.length]),
      async () => {
        stopped = true
      },
    )({})
    if (!provider.embeddings || !('run' in provider.embeddings)) throw new Error('local embeddings run in this process')
    expect(
      await provider.embeddings.run({ model: 'minilm', inputs: ['a', 'bb'], encoding: 'float' }, signal, call),
    ).toEqual({
      vectors: [[1], [2]],
    })
    await provider.close?.()
    expect({ stopped, chat: provider.chat }).toEqual({ stopped: true, chat: undefined })
  })

  it('has upstreams that are found by asking', () => {
    const adapter = ollama(named('ollama'))
    expect(adapter.probe?.({}).url).toBe('http://127.0.0.1:11434/api/version')
    const provider = adapter({})
    expect(supports(provider)[0]?.framing).toBe('ndjson')
    expect(provider.models?.response(answer(200, { models: [{ name: 'llama' }] }), undefined, [])).toEqual([
      { id: 'llama' },
    ])
  })
})
