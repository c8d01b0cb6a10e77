import type { Codec } from '@headgate/core/codec'
import { openAICompatible, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { describe, expect, it, vi } from 'vitest'
import { testScopeOf } from '../src/scope.ts'

const baseUrl = 'https://api.acme.example/v1'
const given = { config: { apiKey: 'k' } }
const ofCore = openAICompatible({ id: 'acme', title: 'Acme', baseUrl, patchFrame: ({ json }) => json })
const bare = { name: 'acme', claims: [], ...openAICompatibleServer({ baseUrl }) }

describe('The kit', () => {
  it('is whole unless HEADGATE_KIT says short', () => {
    vi.stubEnv('HEADGATE_KIT', '')
    expect(testScopeOf(ofCore, given)).toBe('whole')
    vi.stubEnv('HEADGATE_KIT', 'short')
    expect(testScopeOf(ofCore, given)).toBe('short')
    const other = Object.assign(() => ({ ...bare, chat: [{ format: 'messages' as const, path: () => '/' }] }), ofCore)
    expect(testScopeOf(other, given)).toBe('short')
  })

  it('is whole for a codec of the provider, once', () => {
    vi.stubEnv('HEADGATE_KIT', 'short')
    const format = { id: 'acme' } as Codec
    const coded = Object.assign(() => ({ ...bare, chat: [{ format, path: () => '/' }] }), ofCore)
    expect([testScopeOf(coded, given), testScopeOf(coded, given)]).toEqual(['whole', 'short'])
  })

  it('is whole for chat in this process', () => {
    vi.stubEnv('HEADGATE_KIT', 'short')
    const local = Object.assign(() => ({ ...bare, chat: [{ run: async function* () {} }] }), ofCore)
    expect(testScopeOf(local, given)).toBe('whole')
  })
})
