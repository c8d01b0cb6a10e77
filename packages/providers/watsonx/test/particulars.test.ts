import { testCall } from '@headgate/conformance'
import { type ChatSupport, type HttpRequest, type HttpResponse, isNext, type ModelFacts } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { watsonx } from '../src/index.ts'
import { error } from './vendor.ts'

const provider = watsonx({ apiKey: 'k', projectId: 'p', version: '2026-01-15' })
const [chat] = provider.chat as readonly [ChatSupport]
const asked = (body: object, support = chat) =>
  support.patchRequest?.({ model: 'm', messages: [], ...body }, testCall())
const answer = (body: unknown, status = 200): HttpResponse => ({ status, headers: {}, body, bytes: new Uint8Array() })

describe('watsonx.ai', () => {
  it('is asked for a project or for a space, and there must be one', () => {
    expect(asked({})).toEqual({ model_id: 'm', messages: [], project_id: 'p' })
    const [ofSpace] = watsonx({ apiKey: 'k', spaceId: 's' }).chat as readonly [ChatSupport]
    expect(asked({}, ofSpace)).toEqual({ model_id: 'm', messages: [], space_id: 's' })
    expect(() => watsonx({ apiKey: 'k' })).toThrow('WATSONX_PROJECT_ID')
    expect(() => watsonx({ apiKey: 'k', projectId: 'p', version: 'latest' })).toThrow('version')
  })

  it('is at the path of its version, and at another one for streams', () => {
    expect([testCall(), testCall({ stream: true })].map((call) => chat.path(call))).toEqual([
      '/ml/v1/text/chat?version=2026-01-15',
      '/ml/v1/text/chat_stream?version=2026-01-15',
    ])
  })

  // Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-chat
  it('has the words of a choice of tools in a field of their own, and a named tool in the usual one', () => {
    expect(asked({ tool_choice: 'required' })).toMatchObject({ tool_choice_option: 'required' })
    expect(asked({ tool_choice: 'required' })).not.toHaveProperty('tool_choice')
    const named = { type: 'function', function: { name: 'add' } }
    expect(asked({ tool_choice: named })).toMatchObject({ tool_choice: named })
    expect(asked({ tool_choice: named })).not.toHaveProperty('tool_choice_option')
  })

  it('is told what it alone knows as it is, and the rest in its words', () => {
    const own = { time_limit: 1000, include_reasoning: false, reasoning_effort: 'low', max_tokens: 9 }
    expect(asked({ ...own, stop: 'x', stream: true, messages: [{ role: 'developer', content: 'Be brief.' }] })).toEqual(
      {
        model_id: 'm',
        project_id: 'p',
        ...own,
        stop: ['x'],
        messages: [{ role: 'system', content: 'Be brief.' }],
      },
    )
  })

  // Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-chat
  it('ends an answer for which the time was too short as one that is too long', () => {
    const late = { choices: [{ index: 0, finish_reason: 'time_limit', delta: { content: '' } }] }
    const length = { choices: [{ index: 0, finish_reason: 'length', delta: { content: '' } }] }
    expect(chat.patchFrame?.({ data: '', json: late }, testCall())).toEqual(length)
    expect(chat.patchResponse?.(late, testCall())).toEqual(length)
    expect(chat.patchResponse?.(length, testCall())).toBe(length)
  })

  // Written from https://cloud.ibm.com/apidocs/watsonx-ai#list-foundation-model-specs
  it('lists its models over several pages, with what they are for and take, without those that are withdrawn', () => {
    const { models } = provider
    if (!models) throw new TypeError('It lists no models.')
    const spec = (model_id: string, functions: string[], more: object = {}) => ({
      model_id,
      functions: functions.map((id) => ({ id })),
      ...more,
    })
    const first = answer({
      resources: [
        spec('ibm/granite-4-h-small', ['text_chat', 'image_chat'], {
          model_limits: { max_sequence_length: 131_072, max_output_tokens: 16_384 },
        }),
        spec('ibm/slate-125m-english-rtrvr-v2', ['embedding'], { model_limits: { max_sequence_length: 512 } }),
        spec('ibm/granite-ttm-512-96-r2', ['time_series_forecast']),
      ],
      next: {
        href: 'https://us-south.ml.cloud.ibm.com/ml/v1/foundation_model_specs?limit=200&start=7&version=2026-01-15',
      },
    })
    const lifecycle = [{ id: 'available' }, { id: 'deprecated' }]
    const second = answer({
      resources: [
        spec('cross-encoder/ms-marco-minilm-l-12-v2', ['rerank'], { lifecycle }),
        spec('ibm/granite-13b', ['text_chat'], { lifecycle: [...lifecycle, { id: 'withdrawn' }] }),
      ],
    })
    const more = models.response(first, undefined, [])
    expect(isNext(more)).toBe(true)
    expect((more as unknown as { request: HttpRequest }).request.url).toBe(
      '/ml/v1/foundation_model_specs?version=2026-01-15&limit=200&start=7',
    )
    const listed: readonly ModelFacts[] = [
      { id: 'ibm/granite-4-h-small', families: ['chat'], context: 131_072, output: 16_384, inputs: ['text', 'image'] },
      { id: 'ibm/slate-125m-english-rtrvr-v2', families: ['embeddings'], context: 512, inputs: ['text'] },
      { id: 'cross-encoder/ms-marco-minilm-l-12-v2', families: ['rerank'], inputs: ['text'], deprecated: true },
    ]
    expect(models.response(second, undefined, [first])).toEqual(listed)
  })

  // Written from https://ibm.github.io/watsonx-ai-java-sdk/advanced/error-handling
  it('tells by a code that a quota is used up, or that it has no such model', () => {
    const failed = (code: string, status: number) =>
      provider.readError?.(answer({ errors: [{ code, message: 'No.' }], status_code: status }, status))
    expect(failed('token_quota_reached', 403)).toEqual({ kind: 'our-quota', message: 'No.' })
    expect(failed('model_no_support_for_function', 400)).toEqual({ kind: 'unknown-model', message: 'No.' })
    expect(provider.readError?.(answer(error(400, 'No.'), 400))).toBeUndefined()
  })
})
