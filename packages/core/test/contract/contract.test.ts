import { describe, expect, it } from 'vitest'
import type { Format } from '../../src/canonical/format.ts'
import type { ChatSupport, HttpResponse, Provider } from '../../src/contract/provider.ts'
import { bedrock, fal, localEmbeddings, ollama, vertex } from './contract.sketches.ts'

/** A format that is only named here, never read or written. */
const named = (id: string) => ({ id }) as Format

const signal = new AbortController().signal
const call = { model: 'claude-x', stream: true, headers: { 'anthropic-beta': 'a,b' } }

function supports({ chat = [] }: Provider): ChatSupport[] {
  return chat.flatMap((one) => ('run' in one ? [] : one))
}

function answer(status: number, body: unknown): HttpResponse {
  return { status, body, headers: {}, bytes: new Uint8Array() }
}

describe('The contract of a provider', () => {
  it('has one format for some models and another for others, and lets a token be fetched again', async () => {
    let fetched = 0
    const provider = vertex(async () => `token-${++fetched}`)({ project: 'p', location: 'l' })
    const [gemini, claude] = supports(provider)
    expect(gemini?.speaks?.('claude-x')).toBe(false)
    expect(claude?.path(call)).toBe('/publishers/anthropic/models/claude-x:streamRawPredict')
    expect(claude?.patchRequest?.({ model: 'claude-x', max_tokens: 1 }, call)).toEqual({
      max_tokens: 1,
      anthropic_version: 'vertex-2023-10-16',
      anthropic_beta: ['a', 'b'],
    })

    const { credential } = provider
    if (credential.kind !== 'sign') throw new Error('vertex signs its requests')
    const request = { method: 'POST', url: '/', headers: {} } as const
    const sign = async (refresh: boolean) => (await credential.sign(request, { signal, refresh })).headers['authorization']
    expect([await sign(false), await sign(false), await sign(true)]).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2'])
  })

  it('has frames within frames, and formats that the package brings', () => {
    const provider = bedrock(named('converse'), ({ body }) => ({ 'x-signed': String(body) }))({
      region: 'r',
      accessKeyId: 'a',
      secretAccessKey: 's',
    })
    const [claude, converse] = supports(provider)
    expect(claude?.unwrap?.({ bytes: btoa('{"type":"ping"}') })).toEqual({ type: 'ping' })
    expect(claude?.framing).toBe('aws-event-stream')
    expect(converse?.format).toEqual({ id: 'converse' })
    expect(converse?.path({ ...call, model: 'amazon.nova:0', stream: false })).toBe('/model/amazon.nova%3A0/converse')
  })

  it('has video that is asked for in two steps', () => {
    const { video, readError } = fal({ apiKey: 'k' })
    if (!video || 'run' in video.create || 'run' in video.get) throw new Error('fal is remote')
    const request = { model: 'owner/app', text: 'a cat', images: [] }
    const urls = { status_url: 'https://q/s', response_url: 'https://q/r', cancel_url: 'https://q/c' }
    const task = video.create.response(answer(200, { request_id: 'id', ...urls }), request)
    if ('then' in task) throw new Error('the task is there at once')

    expect(video.get.request(task).url).toBe('https://q/s')
    expect(video.get.response(answer(200, { status: 'IN_PROGRESS' }), task)).toEqual({ status: 'running' })
    expect(video.get.response(answer(200, { status: 'COMPLETED' }), task)).toEqual({
      then: { method: 'GET', url: 'https://q/r', headers: {} },
    })
    expect(video.get.response(answer(200, { video: { url: 'https://v' } }), task)).toEqual({ status: 'succeeded', url: 'https://v' })
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
    expect(await provider.embeddings.run({ model: 'minilm', inputs: ['a', 'bb'] }, signal)).toEqual({ vectors: [[1], [2]] })
    await provider.close?.()
    expect({ stopped, chat: provider.chat }).toEqual({ stopped: true, chat: undefined })
  })

  it('has upstreams that are found by asking', () => {
    const adapter = ollama(named('ollama'))
    expect(adapter.probe?.({}).url).toBe('http://127.0.0.1:11434/api/version')
    const provider = adapter({})
    expect(supports(provider)[0]?.framing).toBe('ndjson')
    expect(provider.models?.response(answer(200, { models: [{ name: 'llama' }] }), undefined)).toEqual([{ id: 'llama' }])
  })
})
