import { families } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { families as kits } from '../src/families/index.ts'
import { example } from './adapters.ts'

describe('The conformance kit', () => {
  const served = families.filter(({ kind }) => kind === 'provider')

  it('checks every family that providers serve', () => {
    expect(kits.map(({ id }) => id)).toEqual(expect.arrayContaining(served.map(({ id }) => id)))
  })

  it('knows as the gateway does whether a provider serves one', () => {
    const embeddings = {
      request: () => ({ method: 'POST', url: '/v1/embeddings' }) as const,
      response: () => ({ vectors: [] }),
    }
    for (const provider of [{}, { chat: [] }, { embeddings }]) {
      const instance = example('chat-completions', { provider })({ apiKey: 'k' })
      for (const { id, has } of served) {
        expect(kits.find((kit) => kit.id === id)?.fact?.has(instance), id).toBe(has?.(instance))
      }
    }
  })
})
