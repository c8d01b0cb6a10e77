import { openAICompatible, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { describe, expect, it, vi } from 'vitest'
import { extentOf } from '../src/extent.ts'

const baseUrl = 'https://api.acme.example/v1'
const given = { config: { apiKey: 'k' } }
const data = openAICompatible({
  id: 'acme',
  title: 'Acme',
  baseUrl,
  drop: ['seed'],
  rename: { max_completion_tokens: 'max_tokens' },
})
const hooked = openAICompatible({ id: 'acme', title: 'Acme', baseUrl, patchFrame: ({ json }) => json })

describe('The kit', () => {
  it('is whole unless HEADGATE_KIT says short', () => {
    vi.stubEnv('HEADGATE_KIT', '')
    expect(extentOf(data, given)).toBe('whole')
    vi.stubEnv('HEADGATE_KIT', 'short')
    expect(extentOf(data, given)).toBe('short')
  })

  it('is whole in any case where something else than data is the provider’s own', () => {
    vi.stubEnv('HEADGATE_KIT', 'short')
    expect(extentOf(hooked, given)).toBe('whole')
    const bare = { name: 'acme', claims: [], ...openAICompatibleServer({ baseUrl }) }
    const other = Object.assign(
      () => ({ ...bare, chat: [{ format: 'messages' as const, path: () => '/messages' }] }),
      hooked,
    )
    expect(extentOf(other, given)).toBe('whole')
    const silent = Object.assign(() => ({ ...bare, chat: [] }), hooked)
    expect(extentOf(silent, given)).toBe('whole')
  })
})
