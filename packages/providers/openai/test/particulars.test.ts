import { testCall } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { openai } from '../src/index.ts'

const provider = openai({ apiKey: 'k', organization: 'org-1', project: 'proj-1' })

describe('OpenAI', () => {
  it('says who pays on every request', () => {
    const headers = { 'openai-organization': 'org-1', 'openai-project': 'proj-1' }
    expect(provider.models?.request(undefined, testCall())).toEqual({ method: 'GET', url: '/models', headers })
    expect(provider.chat).toMatchObject([
      { format: 'chat-completions', headers },
      { format: 'responses', headers },
      { format: 'completions', headers },
    ])
  })

  // Written from https://platform.openai.com/docs/models: these three have the endpoint v1/completions only.
  it('serves legacy models to callers of legacy completions only, and those callers by chat with every other model', () => {
    const formatsOf = (model: string) =>
      provider.chat?.flatMap((one) => ('run' in one || one.speaks?.(model) === false ? [] : [one.format]))
    for (const model of ['gpt-3.5-turbo-instruct', 'babbage-002', 'ft:davinci-002:acme::x'])
      expect(formatsOf(model)).toEqual(['completions'])
    expect(formatsOf('gpt-4o')).toEqual(['chat-completions', 'responses'])
  })

  it('reads no signature of another vendor; whom another base URL leads to is not known', () => {
    const signerAt = (baseUrl?: string) => {
      const [chat] = openai({ apiKey: 'k', ...(baseUrl && { baseUrl }) }).chat ?? []
      return chat && 'signer' in chat ? chat.signer : undefined
    }
    expect([signerAt(), signerAt('https://eu.api.openai.com/v1')]).toEqual(['gpt', 'gpt'])
    expect([signerAt('http://127.0.0.1:4000/v1'), signerAt('https://api.openai.com.example.com/v1')]).toEqual([
      undefined,
      undefined,
    ])
  })

  // Written from https://platform.openai.com/docs/api-reference/models/list
  it('lists models by their family, snapshots with the facts of their model', () => {
    const ids = [
      'gpt-4.1-2025-04-14',
      'gpt-4o-2024-05-13',
      'gpt-99',
      'ft:gpt-4o:image-co::x',
      'text-embedding-3-small',
      'o3-pro',
      'whisper-1',
    ]
    const body = { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'openai' })) }
    const listed = provider.models?.response({ status: 200, headers: {}, body, bytes: new Uint8Array() }, undefined, [])
    expect(listed).toEqual([
      { id: 'gpt-4.1-2025-04-14', families: ['chat'], is: 'gpt-4.1' },
      { id: 'gpt-4o-2024-05-13', families: ['chat'], is: 'gpt-4o' },
      { id: 'gpt-99', families: ['chat'], is: 'gpt-99' },
      { id: 'ft:gpt-4o:image-co::x', is: 'ft:gpt-4o:image-co::x' },
      { id: 'text-embedding-3-small', families: ['embeddings'], is: 'text-embedding-3-small' },
      { id: 'o3-pro', families: ['chat'], is: 'o3-pro' },
      { id: 'whisper-1', families: ['transcription'], is: 'whisper-1' },
    ])
    const known = new Map(provider.known?.map((model) => [model.id, model]))
    expect(known.get('gpt-4.1')).toMatchObject({
      families: ['chat'],
      context: 1_047_576,
      price: { input: 2_000_000_000 },
    })
    expect(known.get('gpt-4o-2024-05-13')?.price?.input).toBe(5_000_000_000)
    expect(known.get('text-embedding-3-small')).toMatchObject({
      families: ['embeddings'],
      price: { input: 20_000_000 },
    })
  })

  it('knows which models speak responses alone, and which never; one without that path is not asked for it', () => {
    const spoken = (model: string, config = {}) =>
      (openai({ apiKey: 'k', ...config }).chat ?? []).flatMap((support) =>
        'speaks' in support && support.speaks?.(model) ? [support.format] : [],
      )
    const both = ['chat-completions', 'responses']
    const models = [
      'gpt-5.4',
      'gpt-5-pro',
      'gpt-5.1-codex',
      'o3-deep-research',
      'ft:gpt-4o:codex::x',
      'gpt-audio',
      'gpt-4o-search-preview',
    ]
    expect(models.map((model) => spoken(model))).toEqual([
      ...[both, ['responses'], ['responses'], ['responses'], both, ['chat-completions'], ['chat-completions']],
    ])
    expect(['gpt-5.4', 'gpt-5-pro'].map((model) => spoken(model, { responses: false }))).toEqual([
      ['chat-completions'],
      [],
    ])
  })

  it('claims its own models and not the open ones of the same name', () => {
    const claimed = [
      'gpt-5.4-mini',
      'o3',
      'o4-mini',
      'ft:gpt-4o:x',
      'chatgpt-4o-latest',
      'text-embedding-3-large',
      'gpt-oss-120b',
      'olmo-2',
      'claude-1',
    ]
    expect(claimed.filter((id) => provider.claims.some((claim) => claim.test(id)))).toEqual(claimed.slice(0, 6))
  })
})
