import { describe, expect, it } from 'vitest'
import { formatOfCaller, routeOf } from '../../src/edge/router.ts'
import type { Incoming } from '../../src/edge/sink.ts'

const incoming = (headers: Incoming['headers'] = {}): Incoming => ({ method: 'GET', url: '', headers, read: () => Promise.reject() })
const doors = (path: string, query = '') => routeOf(path, query)?.methods

describe('A path of generateContent', () => {
  it.each([
    '/v1beta/models/',
    '/v1/models/',
    '/v1/publishers/google/models/',
    '/v1beta1/publishers/google/models/',
    '/v1/projects/p/locations/l/publishers/google/models/',
    '/v1beta1/projects/p/locations/l/publishers/anthropic/models/',
    '/v1beta1/projects/p/locations/l/models/',
  ])('names the model after %s, in whatever version', (place) => {
    const format = 'generate-content'
    const chat = { kind: 'chat', format, model: 'some-1' }
    expect(doors(`${place}some-1:generateContent`)).toEqual({ POST: { ...chat, stream: false } })
    expect(doors(`${place}some-1:streamGenerateContent`)).toEqual({ POST: { ...chat, stream: true, framing: 'json-array' } })
    expect(doors(`${place}some-1:streamGenerateContent`, 'alt=sse')).toEqual({ POST: { ...chat, stream: true, framing: 'sse' } })
    expect(doors(`${place}some-1:countTokens`)).toEqual({ POST: { kind: 'count-tokens', format, model: 'some-1' } })
    expect(doors(`${place}some-1`)).toEqual({ GET: { kind: 'models', id: 'some-1' } })
    expect(formatOfCaller(`${place}some-1:generateContent`, incoming())).toBe(format)
  })

  it.each([
    ['openai/gpt-5.4', 'openai/gpt-5.4'],
    ['openai%2Fgpt-5.4', 'openai/gpt-5.4'],
    ['maker/small:free', 'maker/small:free'],
    ['ft:gpt-4.1:acme::abc', 'ft:gpt-4.1:acme::abc'],
  ])('has everything up to the last colon as the model: %s', (written, model) => {
    expect(doors(`/v1beta/models/${written}:generateContent`)).toMatchObject({ POST: { model } })
    expect(doors(`/v1/models/${written}`)).toEqual({ GET: { kind: 'models', id: model } })
  })

  it.each([
    '/v1beta/models/some-1:embedContent',
    '/v1/models/some-1:batchEmbedContents',
    '/v1beta1/publishers/google/models/some-1:predict',
  ])('with a verb that is not served leads nowhere, but is a model to who asks for one: %s', (path) => {
    expect(routeOf(path, '', 'POST')).toBeUndefined()
    expect(routeOf(path, '', 'GET')?.methods).toEqual({ GET: { kind: 'models', id: path.split('/').at(-1) } })
    expect(formatOfCaller(path, { ...incoming(), method: 'POST' })).toBe('generate-content')
  })

  it('is refused when its model can not be decoded', () => {
    expect(() => routeOf('/v1beta/models/50%:generateContent', '')).toThrow('percent-encoding')
  })
})

describe('A path that is not there', () => {
  it.each([
    '/',
    '/v1',
    '/v1/models/',
    '/v2/models',
    '/v1alpha/models',
    '/v1/projects/p/models/x:generateContent',
    '/v1/messages/',
    '/constructor',
  ])('leads nowhere: %s', (path) => {
    expect(routeOf(path, '')).toBeUndefined()
  })
})

describe('A caller', () => {
  it.each([
    ['/v1/chat/completions', {}, 'chat-completions'],
    ['/v1/messages', {}, 'messages'],
    ['/v1/messages/count_tokens', {}, 'messages'],
    ['/v1beta/nothing', {}, 'generate-content'],
    ['/v1/projects/nothing', {}, 'generate-content'],
    ['/nothing', {}, 'chat-completions'],
    ['/v1/models', {}, 'chat-completions'],
    ['/v1/models/maker/small:free', {}, 'chat-completions'],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, 'messages'],
    ['/v1/models/some-1', { 'anthropic-version': '2023-06-01' }, 'messages'],
    ['/v1/models', { 'x-goog-api-key': 'key' }, 'generate-content'],
    ['/v1/models/some-1', { 'x-goog-api-client': 'google-genai-sdk/3.1.0' }, 'generate-content'],
    ['/v1beta/models', { 'anthropic-version': '2023-06-01' }, 'generate-content'],
    ['/v1/chat/completions', { 'x-goog-api-key': 'key' }, 'chat-completions'],
  ])('of %s with %j understands %s', (path, headers, format) => {
    expect(formatOfCaller(path, incoming(headers))).toBe(format)
  })
})
