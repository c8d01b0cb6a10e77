import { describe, expect, it } from 'vitest'
import { formats } from '../../../core/src/formats/index.ts'
import { createRouter } from '../../src/edge/router.ts'
import type { Incoming } from '../../src/edge/sink.ts'
import { CHAT_ROUTES } from '../../src/families/chat/routes.ts'
import { families } from '../../src/families/index.ts'
import { MODEL_ROUTES } from '../../src/families/models/index.ts'

const router = createRouter([...CHAT_ROUTES, ...MODEL_ROUTES])

/** Where a request leads: the operation, and what the path names. */
function leads(path: string, method: string): [string, object] | undefined {
  const found = router.find(path, method)
  return found && [found.route.operation.id, found.parameters]
}

/** The format in which a caller is told of failures. */
function formatOf(path: string, headers: Incoming['headers'] = {}, method = 'GET'): string | undefined {
  const errors = families.map((family) => family.errors(path, { method, headers })).find((found) => found !== undefined)
  return errors && [...formats.values()].find((format) => format === errors)?.id
}

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
    const ending = place.includes('/publishers/') ? '-of-project' : ''
    const model = { model: 'some-1' }
    expect(leads(`${place}some-1:generateContent`, 'POST')).toEqual([`generate-content${ending}`, model])
    expect(leads(`${place}some-1:streamGenerateContent`, 'POST')).toEqual([`stream-generate-content${ending}`, model])
    expect(leads(`${place}some-1:countTokens`, 'POST')).toEqual([`count-tokens${ending}`, model])
    expect(leads(`${place}some-1`, 'GET')).toEqual(['list-models', { id: 'some-1' }])
    expect(formatOf(`${place}some-1:generateContent`)).toBe('generate-content')
  })

  it.each([
    ['openai/gpt-5.4', 'openai/gpt-5.4'],
    ['openai%2Fgpt-5.4', 'openai/gpt-5.4'],
    ['maker/small:free', 'maker/small:free'],
    ['ft:gpt-4.1:acme::abc', 'ft:gpt-4.1:acme::abc'],
  ])('has everything up to the last colon as the model: %s', (written, model) => {
    expect(leads(`/v1beta/models/${written}:generateContent`, 'POST')?.[1]).toEqual({ model })
    expect(leads(`/v1/models/${written}`, 'GET')?.[1]).toEqual({ id: model })
  })

  it.each([
    '/v1beta/models/some-1:embedContent',
    '/v1/models/some-1:batchEmbedContents',
    '/v1beta1/publishers/google/models/some-1:predict',
  ])('with a verb that is not served leads nowhere, but is a model to who asks for one: %s', (path) => {
    expect(leads(path, 'POST')).toBeUndefined()
    expect(leads(path, 'GET')?.[1]).toEqual({ id: path.split('/').at(-1) })
    expect(formatOf(path, {}, 'POST')).toBe('generate-content')
  })

  it('is refused when its model can not be decoded', () => {
    expect(() => leads('/v1beta/models/50%:generateContent', 'POST')).toThrow('percent-encoding')
  })

  it('with a verb that is served answers to POST only', () => {
    expect(() => leads('/v1beta/models/some-1:generateContent', 'GET')).toThrow('supports POST, not GET')
  })
})

describe('A path that is not there', () => {
  it.each([
    '/',
    '/v1',
    '/v2/models',
    '/v1alpha/models',
    '/v1/projects/p/models/x:generateContent',
    '/v1/messages/',
    '/constructor',
  ])('leads nowhere: %s', (path) => {
    expect(leads(path, 'GET')).toBeUndefined()
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
    expect(formatOf(path, headers) ?? 'chat-completions').toBe(format)
  })
})
