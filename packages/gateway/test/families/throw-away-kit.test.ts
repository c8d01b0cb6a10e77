import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, type ProviderFacts, testProvider } from '../../../conformance/src/index.ts'
import { endpoint } from '../../../core/src/openai-compatible.ts'
import { defineProvider, type Provider } from '../../../core/src/provider.ts'
import { withShouting } from './shouting/kit.ts'

const KEY = 'zebra.of.the.loud'
const facts: ProviderFacts<{ apiKey: string }> = {
  config: { apiKey: KEY },
  upstream: { credential: { header: 'authorization', value: `Bearer ${KEY}` } },
}

const adapter = (shouting: Partial<Provider['shouting']> = {}) =>
  defineProvider(
    { id: 'loudspeaker', title: 'Loudspeaker', config: z.strictObject(endpoint('https://api.example')), env: {} },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'authorization', value: `Bearer ${apiKey}` },
      known: [{ id: 'loud', families: ['shouting'] }],
      shouting: {
        request: ({ model, text }) => ({ method: 'POST', url: '/v1/shout', body: { json: { model, text } } }),
        response: ({ body }) => body as { shout: string },
        ...shouting,
      },
    }),
  )

testProvider(adapter(), facts, withShouting({ model: 'loud', path: '/v1/shout' }))

describe('The kit checks a family that it does not have, and', () => {
  const examined = async (wrong: Partial<Provider['shouting']>, told = true) => {
    const found = await examine(
      adapter(wrong),
      facts,
      undefined,
      withShouting(told ? { model: 'loud', path: '/v1/shout' } : undefined),
    )
    return found.map(({ message }) => message)
  }

  it('finds what an adapter gets wrong of it', async () => {
    expect(await examined({ response: () => ({ shout: 'hush' }) })).toEqual([
      expect.stringMatching('mend `shouting.response`'),
    ])
    const request = ({ model }: { model: string }) =>
      ({ method: 'POST', url: '/v1/whisper', body: { json: { model, text: '' } } }) as const
    expect(await examined({ request })).toEqual([
      expect.stringMatching('sent POST /v1/whisper, but the upstream serves POST /v1/shout: fix `shouting.request`'),
      expect.stringMatching('The text is another one'),
    ])
  })

  it('finds that it would take the credential to another host', async () => {
    const request = () => ({ method: 'POST', url: 'https://elsewhere.example/shout', body: { json: {} } }) as const
    expect(await examined({ request })).toContain(
      '`shouting.request` sends a request to elsewhere.example: return a path below `baseUrl`, or add the host to `hosts`.',
    )
  })

  it('finds that nobody has said anything of it', async () => {
    expect(await examined({}, false)).toEqual([
      'The provider has `shouting`, but the facts of the test do not describe it: add `shouting`.',
    ])
  })
})
