import {
  CALLER_KEY,
  FORMATS,
  type LoopbackUpstream,
  SHORT_QUESTIONS,
  startUpstream,
  testCall,
  wires,
} from '@headgate/conformance'
import type { ChatSupport, Lease } from '@headgate/core/provider'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { azure } from '../src/index.ts'

const given = { apiKey: 'k', baseUrl: 'https://herd.openai.azure.com' }
const chatOf = (config: Parameters<typeof azure>[0]) => (azure(config).chat ?? []) as readonly ChatSupport[]
const pathsOf = (config: Parameters<typeof azure>[0], model: string) =>
  chatOf(config).flatMap((one) => (one.speaks?.(model) ? [one.path(testCall({ model }))] : []))

describe('Azure', () => {
  it('is a resource, by its name or by any of its addresses', () => {
    const baseUrlOf = (baseUrl: string) => azure({ apiKey: 'k', baseUrl }).baseUrl
    expect(azure({ apiKey: 'k', resource: 'herd' }).baseUrl).toBe('https://herd.openai.azure.com')
    const addresses = ['/', '/openai', '/openai/v1/', '/anthropic'].map((path) =>
      baseUrlOf(`https://herd.services.ai.azure.com${path}`),
    )
    expect(new Set(addresses)).toEqual(new Set(['https://herd.services.ai.azure.com']))
    expect(() => azure({ apiKey: 'k', resource: 'herd.example/' })).toThrow('name of a resource')
    expect(() => azure({ apiKey: 'k' })).toThrow('AZURE_OPENAI_ENDPOINT')
    expect(() => azure({ baseUrl: given.baseUrl })).toThrow('AZURE_API_KEY')
  })

  it('asks deployments of Claude at Foundry, by whatever name, and others where they are', () => {
    const foundry = 'https://herd.services.ai.azure.com'
    expect(pathsOf(given, 'claude-sonnet-4-5')).toEqual([`${foundry}/anthropic/v1/messages`])
    expect(pathsOf({ ...given, claude: ['prod-opus'] }, 'prod-opus')).toEqual([`${foundry}/anthropic/v1/messages`])
    expect(pathsOf({ ...given, baseUrl: foundry }, 'claude-sonnet-4-5')).toEqual(['/anthropic/v1/messages'])
    expect([azure(given).hosts, azure({ ...given, baseUrl: foundry }).hosts]).toEqual([
      ['herd.services.ai.azure.com'],
      [],
    ])
    expect(pathsOf(given, 'prod-5')).toEqual(['/openai/v1/chat/completions', '/openai/v1/responses'])
    expect(pathsOf({ ...given, apiVersion: '2024-10-21' }, 'prod-5')).toHaveLength(1)
    expect(pathsOf({ ...given, apiVersion: '2025-04-01-preview' }, 'prod 5')).toEqual([
      '/openai/deployments/prod%205/chat/completions?api-version=2025-04-01-preview',
      '/openai/responses?api-version=2025-04-01-preview',
    ])
    expect(pathsOf(given, 'gpt-5-codex')).toEqual(['/openai/v1/responses'])
  })

  it('knows the facts of models whose deployments have their names', () => {
    expect(azure(given).known?.find(({ id }) => id === 'gpt-4.1')).toMatchObject({
      families: ['chat'],
      price: { input: 2_000_000_000 },
    })
  })

  // Written from https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference and
  // https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
  it('obtains the token of a managed identity from an app’s endpoint, else from the machine', () => {
    const leaseOf = (config: object): Lease<unknown> => {
      const { credential } = azure({ baseUrl: given.baseUrl, ...config })
      if (credential.kind !== 'signed' || !credential.lease) throw new Error('There is no lease.')
      return credential.lease
    }
    const now = new Date()
    const app = leaseOf({
      identityEndpoint: 'http://127.0.0.1:41741/msi/token',
      identityHeader: 'h',
      managedIdentity: true,
    })
    expect(app.hosts).toEqual(['http://127.0.0.1:41741'])
    expect(app.obtain.request({ now })).toEqual({
      method: 'GET',
      url: 'http://127.0.0.1:41741/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com',
      headers: { 'x-identity-header': 'h' },
    })
    const machine = leaseOf({ managedIdentity: true, clientId: 'c' })
    expect(machine.obtain.request({ now })).toEqual({
      method: 'GET',
      url: 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=c',
      headers: { metadata: 'true' },
    })
    const body = { access_token: 't', expires_in: '86399', token_type: 'Bearer' }
    const answer = { status: 200, headers: {}, body, bytes: new Uint8Array() }
    expect(machine.obtain.response(answer, [], { now })).toMatchObject({
      token: 't',
      expiresAt: new Date(now.getTime() + 86_399_000),
    })
  })
})

const SAFE = { hate: { filtered: false, severity: 'safe' } }

// Written from https://learn.microsoft.com/azure/foundry/openai/concepts/content-filter
const FILTERED = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { ...SAFE, violence: { filtered: true, severity: 'high' } },
    },
  },
}

describe('A filter of Azure', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [azure({ apiKey: 'k', baseUrl: upstream.origin, apiVersion: '2024-10-21' })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(caller: (typeof FORMATS)[number], stream = false): Promise<{ status: number; body: string }> {
    const wire = wires[caller]
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'azure' }
    const body = JSON.stringify(wire.body(SHORT_QUESTIONS[caller], 'prod-4', stream))
    const answer = await gateway.fetch(
      new Request(`http://localhost${wire.path('prod-4', stream)}`, { method: 'POST', body, headers }),
    )
    return { status: answer.status, body: await answer.text() }
  }

  it.each(FORMATS)('refuses a prompt as content that is not allowed, to callers of %s', async (caller) => {
    upstream.answer({ kind: 'whole', status: 400, body: FILTERED })
    const { status, body } = await ask(caller)
    expect(status).toBe(400)
    expect(wires[caller].readError(JSON.parse(body))).toBeDefined()
    expect(body).toContain('content management policy')
    expect(upstream.received).toHaveLength(1)
  })

  it.each(FORMATS)('ends an answer that is cut by it as filtered, to callers of %s', async (caller) => {
    const choice = {
      index: 0,
      finish_reason: 'content_filter',
      message: { role: 'assistant', content: 'It is' },
      content_filter_results: SAFE,
    }
    const answer = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [choice],
      prompt_filter_results: [],
    }
    upstream.answer({ kind: 'whole', body: answer })
    expect(wires[caller].readAnswer(JSON.parse((await ask(caller)).body)).meaning).toMatchObject({
      text: 'It is',
      finish: 'content-filter',
    })
  })

  it.each(FORMATS)('ends a stream that is cut by it as filtered, to callers of %s', async (caller) => {
    const frame = (json: object) =>
      Buffer.from(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...json })}\n\n`)
    const pieces = [
      frame({
        id: '',
        model: '',
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
      }),
      frame({ choices: [{ index: 0, delta: { role: 'assistant', content: 'It is' }, finish_reason: null }] }),
      frame({
        choices: [
          { index: 0, finish_reason: null, content_filter_results: SAFE, content_filter_offsets: { check_offset: 5 } },
        ],
      }),
      frame({ choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }),
      Buffer.from('data: [DONE]\n\n'),
    ]
    upstream.answer({ kind: 'stream', pieces })
    expect(wires[caller].readStream((await ask(caller, true)).body).meaning).toMatchObject({
      text: 'It is',
      finish: 'content-filter',
    })
  })
})
