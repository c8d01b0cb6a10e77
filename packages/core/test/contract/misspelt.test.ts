import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { nearest } from '../../src/contract/nearest.ts'
import { openAICompatible } from '../../src/openai-compatible.ts'
import {
  type ChatSupport,
  defineProvider,
  type Provider,
  type ProviderMeta,
  type VideoSupport,
} from '../../src/provider.ts'
import { type Backend, defineSearchBackend } from '../../src/search.ts'

const support: ChatSupport = { format: 'chat-completions', path: () => '/chat/completions' }
const meta: ProviderMeta<z.ZodObject> = { id: 'acme', title: 'Acme', config: z.strictObject({}), env: {} }

/** A provider with members that TypeScript would not let pass. */
const provider = (members: object, more: object = {}) =>
  defineProvider(
    { ...meta, ...more },
    () => ({ credential: { kind: 'none' }, chat: [support], ...members }) satisfies Provider,
  )
const video = (members: object): VideoSupport => ({
  create: { run: async () => ({ id: '1' }) },
  get: { run: async () => ({ status: 'running' }) },
  ...members,
})
const backend = (members: object) =>
  defineSearchBackend(
    meta,
    (): Backend => ({
      credential: { kind: 'none' },
      paging: { by: 'none', maxResults: 10 },
      search: { run: async () => ({ items: [] }) },
      ...members,
    }),
  )

describe('A description with a misspelt member is refused with the name that was meant', () => {
  it.each([
    [{ readerror: () => undefined }, 'The provider acme has no member "readerror". Did you mean "readError"?'],
    [{ baseURL: 'https://x.example' }, 'The provider acme has no member "baseURL". Did you mean "baseUrl"?'],
    [{ embedding: {} }, 'The provider acme has no member "embedding". Did you mean "embeddings"?'],
    [{ chat: [{ ...support, renmae: {} }] }, 'The chat support of acme has no member "renmae". Did you mean "rename"?'],
    [
      { chat: [{ ...support, patch_request: {} }] },
      'The chat support of acme has no member "patch_request". Did you mean "patchRequest"?',
    ],
    [
      { chat: [{ ...support, facts: { imageURLs: false } }] },
      '`facts` in the chat support of acme has no member "imageURLs". Did you mean "imageUrls"?',
    ],
    [
      { video: video({ idempotant: true }) },
      'The video support of acme has no member "idempotant". Did you mean "idempotent"?',
    ],
    [
      { video: video({ capabilities: { ration: [] } }) },
      '`capabilities` in the video support of acme has no member "ration". Did you mean "ratios"?',
    ],
    [
      { embeddings: { run: async () => ({ vectors: [] }), bach: 3 } },
      'The embeddings support of acme has no member "bach". Did you mean "batch"?',
    ],
  ])('%j', (members, message) => {
    expect(() => provider(members)({})).toThrow(new TypeError(message))
  })

  it('in what an adapter says of itself', () => {
    expect(() => provider({}, { claim: [/^acme-/] })({})).toThrow(
      'The description of acme has no member "claim". Did you mean "claims"?',
    )
  })

  it('in what the preset was given', () => {
    const options = { id: 'acme', title: 'Acme', baseUrl: 'https://api.acme.example/v1', dorp: ['logit_bias'] }
    expect(() => openAICompatible(options)({ apiKey: 'k' })).toThrow(
      'The chat support of acme has no member "dorp". Did you mean "drop"?',
    )
  })

  it('in a search backend', () => {
    expect(() => backend({ suports: 'all' })({})).toThrow(
      'The search backend acme has no member "suports". Did you mean "supports"?',
    )
    expect(() => backend({ markUp: true })({})).toThrow('Did you mean "markup"?')
  })

  it('and what is like no member is a family of somebody’s own', () => {
    expect(provider({ shouting: {}, x: 1 })({})).toMatchObject({ shouting: {} })
  })
})

describe('The nearest of some names', () => {
  it.each([
    ['drpo', 'drop'],
    ['rename_', 'rename'],
    ['run', 'run'],
    ['rum', 'run'],
    ['go', undefined],
    ['re_name', 'rename'],
    ['my-fest-model', 'my-fast-modle'],
    ['xy-fest-model', 'my-fast-modle'],
    ['xz-fest-model', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('to %s is %s', (name, meant) => {
    expect(nearest(name, ['rename', 'drop', 'run', 'get', 'my-fast-modle'])).toBe(meant)
  })
})
