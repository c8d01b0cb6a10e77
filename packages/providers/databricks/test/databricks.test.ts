import { type SignatureFacts, testCall, testProvider } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { databricks } from '../src/index.ts'

const TOKEN = 'brick.of.the.token'
const baseUrl = 'https://quarry.cloud.databricks.com'
const keyed = { header: 'authorization', value: 'Bearer brick.of.a.person' } as const
const embeddings = {
  model: 'databricks-gte-large-en',
  format: 'embeddings',
  path: '/serving-endpoints/embeddings',
  batch: 150,
} as const

const models = {
  path: '/api/2.0/serving-endpoints',
  write: (ids: readonly string[]) => ({
    endpoints: ids.map((name) => ({ name, task: 'llm/v1/chat', state: { ready: 'READY' } })),
  }),
}

// Written from https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference, and the list
// from https://docs.databricks.com/api/workspace/servingendpoints/list
testProvider(databricks, {
  config: { apiKey: 'brick.of.a.person', baseUrl },
  model: 'an-endpoint',
  upstream: {
    format: 'chat-completions',
    path: '/serving-endpoints/chat/completions',
    models,
    credential: keyed,
    refuses: [
      'max_completion_tokens',
      'parallel_tool_calls',
      'seed',
      'user',
      'logit_bias',
      'frequency_penalty',
      'presence_penalty',
    ],
  },
  embeddings,
})

/** A service principal. Written from https://docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m */
const principal: SignatureFacts = {
  headers: ['authorization'],
  isRight: ({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`,
  secrets: [TOKEN, 'secret.of.the.brick'],
  issue({ path, raw, headers }) {
    const form = new URLSearchParams(raw)
    const basic = `Basic ${btoa('mason:secret.of.the.brick')}`
    if (path !== '/oidc/v1/token' || headers['authorization'] !== basic) throw new Error('invalid_client')
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== 'all-apis')
      throw new Error('invalid_request')
    return { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600, scope: 'all-apis' }
  },
}

// Written from https://docs.databricks.com/aws/en/machine-learning/model-serving/query-anthropic-messages
testProvider(databricks, {
  config: { clientId: 'mason', clientSecret: 'secret.of.the.brick', baseUrl },
  model: 'databricks-claude-sonnet-4-5',
  upstream: {
    format: 'messages',
    path: '/serving-endpoints/anthropic/v1/messages',
    models,
    credential: principal,
    forward: ['anthropic-version', 'anthropic-beta'],
  },
  embeddings,
})

describe('The workspace of Databricks', () => {
  it.each(['quarry.cloud.databricks.com', 'https://quarry.cloud.databricks.com/', `${baseUrl}/serving-endpoints`])(
    'may be said as %s',
    (said) => {
      expect(databricks({ apiKey: 'k', baseUrl: said }).baseUrl).toBe(baseUrl)
    },
  )

  it('refuses a config without credentials', () => {
    expect(() => databricks({ baseUrl, clientId: 'mason' })).toThrow('no credentials: set DATABRICKS_TOKEN')
  })
})

// Written from https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
describe('What a model of Databricks thinks', () => {
  const [chat] = [databricks({ apiKey: 'k', baseUrl }).chat].flat()
  if (!chat || !('path' in chat)) throw new Error('There is no chat.')
  const content = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Bricks are red.' }] },
    { type: 'text', text: 'Red.' },
  ]

  it('is read from the chunks of an answer', () => {
    expect(chat.patchResponse?.({ choices: [{ message: { role: 'assistant', content } }] }, testCall())).toEqual({
      choices: [{ message: { role: 'assistant', content: 'Red.', reasoning_content: 'Bricks are red.' } }],
    })
  })

  it('goes back as such a chunk', () => {
    const said = { role: 'assistant', content: 'Red.', reasoning_content: 'Bricks are red.' }
    expect(chat.patchRequest?.({ messages: [said] }, testCall())).toEqual({
      messages: [{ role: 'assistant', content }],
    })
  })
})
