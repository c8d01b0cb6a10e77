import { describe, expect, it } from 'vitest'
import { openaiCompatible } from '../src/index.ts'

describe('An OpenAI-compatible server', () => {
  it('takes part only where the config names it', () => {
    expect(openaiCompatible.enable).toBe('asked')
    expect(() => openaiCompatible({} as { baseUrl: string })).toThrow('baseUrl')
  })

  it('needs no key, and its deviations are said in the config', () => {
    const config = {
      baseUrl: 'http://10.0.0.5:8000/v1/',
      drop: ['logit_bias'],
      facts: { plainSystem: true },
      embeddings: false,
    }
    const provider = openaiCompatible(config)
    expect(provider).toMatchObject({ baseUrl: 'http://10.0.0.5:8000/v1', credential: { kind: 'none' } })
    expect(provider.chat).toMatchObject([{ drop: ['logit_bias'], facts: { plainSystem: true } }])
    expect(provider.embeddings).toBeUndefined()
    const { chat } = openaiCompatible({ baseUrl: config.baseUrl, responses: true })
    expect(chat).toMatchObject([{ format: 'chat-completions' }, { format: 'responses' }])
  })
})
