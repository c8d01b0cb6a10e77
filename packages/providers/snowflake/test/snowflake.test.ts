import { testCall, testProvider } from '@headgate/conformance'
import { isObject, objects } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { emptyValues } from '../src/empty-values.ts'
import { snowflake } from '../src/index.ts'

const config = { apiKey: 'drift.of.snow', account: 'igloo-west' }
const credential = { header: 'authorization', value: 'Bearer drift.of.snow' } as const

// Written from https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api and its page embed-api, as
// they were in 2026.
testProvider(snowflake, {
  config,
  model: 'claude-sonnet-4-6',
  upstream: { format: 'chat-completions', path: '/api/v2/cortex/v1/chat/completions', credential },
  also: [{ format: 'messages', path: '/api/v2/cortex/v1/messages', forward: ['anthropic-version', 'anthropic-beta'] }],
  embeddings: {
    model: 'snowflake-arctic-embed-l-v2.0',
    path: '/api/v2/cortex/inference:embed',
    read({ body }) {
      if (!isObject(body) || !Array.isArray(body['text'])) throw new Error('text must be a list.')
      return { model: String(body['model']), inputs: body['text'] }
    },
    write: ({ vectors, tokens }) => ({
      object: 'list',
      data: vectors.map((vector, index) => ({ object: 'embedding', embedding: [vector], index })),
      model: 'snowflake-arctic-embed-l-v2.0',
      usage: { total_tokens: tokens },
    }),
  },
})

describe('What says nothing at Snowflake', () => {
  // In the shape that the service answers in: every field of its types is there.
  const answer = (message: object) => ({
    id: '',
    choices: [
      { finish_reason: '', index: 0, message: { role: 'assistant', refusal: '', tool_calls: null, ...message } },
    ],
  })
  const empty = { audio: { data: '', id: '', transcript: '' }, function_call: { arguments: '', name: '' } }

  it('is neither a sound nor a call for callers, who read why an answer ended', () => {
    const [choice] = objects(emptyValues.patchResponse(answer({ content: '4', ...empty }))['choices'])
    expect(choice).toEqual({
      finish_reason: 'stop',
      index: 0,
      message: { role: 'assistant', content: '4', refusal: null, tool_calls: null },
    })
  })

  it('ends what calls tools with that', () => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
    const [choice] = objects(emptyValues.patchResponse(answer({ tool_calls: [call] }))['choices'])
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [call] } })
  })

  it('leaves what the service does say', () => {
    const said = { finish_reason: 'length', index: 0, message: { role: 'assistant', content: 'a', refusal: 'no' } }
    expect(emptyValues.patchResponse({ choices: [said] })).toEqual({ choices: [said] })
  })

  it.each([
    [{ content: 'a' }, 'stop'],
    [{ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] }, 'tool_calls'],
  ])('is made up at the end of a stream of %j', (delta, finish_reason) => {
    const call = testCall()
    const frame = (json: Record<string, unknown>) => emptyValues.patchFrame({ data: '', json }, call)
    frame({ choices: [{ index: 0, delta }] })
    const usage = { prompt_tokens: 1, completion_tokens: 1 }
    expect(frame({ choices: [], usage })).toEqual({ choices: [{ index: 0, delta: {}, finish_reason }], usage })
  })

  it('is not made up where a stream says why it ends', () => {
    const call = testCall()
    emptyValues.patchFrame({ data: '', json: { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] } }, call)
    expect(emptyValues.patchFrame({ data: '', json: { choices: [], usage: {} } }, call)).toEqual({
      choices: [],
      usage: {},
    })
  })
})

describe('The account', () => {
  it('is the host, in which an underscore is a hyphen', () => {
    expect(snowflake({ apiKey: 'k', account: 'org-my_account' }).baseUrl).toBe(
      'https://org-my-account.snowflakecomputing.com',
    )
    expect(snowflake({ apiKey: 'k', baseUrl: 'https://igloo.example/api/v2/cortex/v1' }).baseUrl).toBe(
      'https://igloo.example',
    )
    expect(() => snowflake({ apiKey: 'k' })).toThrow('set SNOWFLAKE_ACCOUNT')
  })
})
