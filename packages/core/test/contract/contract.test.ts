import { describe, expect, it } from 'vitest'
import type { Codec } from '../../src/codec.ts'
import { type ChatSupport, type Credential, type HttpResponse, isNext, type Provider } from '../../src/provider.ts'
import { callOf } from '../support/call.ts'
import { bedrock, fal, localEmbeddings, ollama, vertex } from './contract.sketches.ts'

/** A format that is only named here, never read or written. */
const named = (id: string) => ({ id }) as Codec

const signal = new AbortController().signal
const call = callOf({ model: 'claude-x', stream: true, headers: { 'anthropic-beta': 'a,b' } })

function supports({ chat = [] }: Provider): ChatSupport[] {
  return chat.flatMap((one) => ('run' in one ? [] : one))
}

function answer(status: number, body: unknown): HttpResponse {
  return { status, body, headers: {}, bytes: new Uint8Array() }
}

const final = { method: 'POST', url: new URL('https://upstream.example/x'), headers: {}, body: 'bytes' }
const aws = bedrock(named('converse'), ({ body }, { id }) => ({ 'x-signed': `${body} by ${id}` }))({ region: 'r', role: 'gateway' })

function signing({ credential }: Provider): Extract<Credential, { kind: 'signed' }> {
  if (credential.kind !== 'signed') throw new TypeError('The sketch signs its requests.')
  return credential
}

describe('The contract of a provider', () => {
  it('has one format for some models and another for others, and leases a token', () => {
    const provider = vertex((key, now) => `${key}@${now.toISOString()}`)({ project: 'p', location: 'l', key: 'k' })
    const [gemini, claude] = supports(provider)
    expect(gemini?.speaks?.('claude-x')).toBe(false)
    expect(claude?.path(call)).toBe('/publishers/anthropic/models/claude-x:streamRawPredict')
    expect(claude?.patchRequest?.({ model: 'claude-x', max_tokens: 1 }, call)).toEqual({
      max_tokens: 1,
      anthropic_version: 'vertex-2023-10-16',
      anthropic_beta: ['a', 'b'],
    })

    const { lease, sign } = signing(provider)
    const now = new Date('2026-01-01T00:00:00Z')
    expect(lease?.obtain.request({ now }).body).toMatchObject({ json: { assertion: 'k@2026-01-01T00:00:00.000Z' } })
    const leased = lease?.obtain.response(answer(200, { access_token: 'token-1', expires_in: 3_600 }), [], { now })
    expect(lease?.secrets(leased)).toEqual(['token-1'])
    expect(sign(final, leased, now)).toEqual({ authorization: 'Bearer token-1' })
  })

  it('leases over two requests, and says itself what is stale', () => {
    const { lease, sign, stale } = signing(aws)
    const asked = lease?.obtain.response(answer(200, 'session-of-the-machine'), [], { now: new Date(0) })
    expect(isNext(asked) && asked.request.headers).toEqual({ 'x-aws-ec2-metadata-token': 'session-of-the-machine' })
    const body = { AccessKeyId: 'i', SecretAccessKey: 's', Token: 't', Expiration: '2026-01-01T06:00:00Z' }
    const keys = lease?.obtain.response(answer(200, body), [answer(200, 'session-of-the-machine')], { now: new Date(0) })
    expect(keys).toEqual({ id: 'i', secret: 's', session: 't', expiresAt: new Date('2026-01-01T06:00:00Z') })
    expect(sign(final, keys, new Date())).toEqual({ 'x-signed': 'bytes by i' })
    expect([403, 401].map((status) => stale?.(answer(status, { __type: 'com.amazon#ExpiredTokenException' })))).toEqual([true, false])
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
    const request = { model: 'owner/app', text: 'a cat', images: [] }
    const urls = { status_url: 'https://q/s', response_url: 'https://q/r', cancel_url: 'https://q/c' }
    const task = video.create.response(answer(200, { request_id: 'id', ...urls }), request, [])
    if (isNext(task)) throw new Error('the task is there at once')

    expect(video.get.request(task, call).url).toBe('https://q/s')
    expect(video.get.response(answer(200, { status: 'IN_PROGRESS' }), task, [])).toEqual({ status: 'running' })
    const done = video.get.response(answer(200, { status: 'COMPLETED' }), task, [])
    expect(isNext(done) && done.request).toEqual({ method: 'GET', url: 'https://q/r' })
    expect(video.get.response(answer(200, { video: { url: 'https://v' } }), task, [])).toEqual({ status: 'succeeded', url: 'https://v' })
    expect(readError?.(answer(422, { detail: [{ msg: 'no prompt' }] }))).toEqual({ kind: 'invalid-request', message: 'no prompt' })
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
    expect(await provider.embeddings.run({ model: 'minilm', inputs: ['a', 'bb'], encoding: 'float' }, signal, call)).toEqual({
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
    expect(provider.models?.response(answer(200, { models: [{ name: 'llama' }] }), undefined, [])).toEqual([{ id: 'llama' }])
  })
})
