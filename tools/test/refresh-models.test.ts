import { describe, expect, it } from 'vitest'
import { modelsFile } from '../refresh-models.ts'

const text = { input: ['text', 'image'], output: ['text'] }
const limit = { context: 200_000, output: 8_192 }

/** A catalog in the shape of models.dev, with invented models. */
const catalog = {
  models: {
    'b-embedding': {
      limit: { context: 8_191, output: 1_536 },
      modalities: { input: ['text'], output: ['text'] },
      cost: { input: 0.13, output: 0 },
    },
    'a-chat': {
      tool_call: true,
      reasoning: true,
      temperature: true,
      limit,
      modalities: text,
      cost: { input: 0.15, output: 0.6, cache_read: 0.075, cache_write: 0.1875 },
    },
    'a-long': { limit, modalities: text, cost: { input: 1, output: 2, tiers: [{ tier: { size: 100_000 }, input: 2, output: 3 }] } },
    'a-switch': { temperature: false, reasoning_options: [{ values: ['none', 'high'] }], limit, modalities: text },
    old: { status: 'deprecated', limit, modalities: text },
    speech: { limit, modalities: { input: ['text'], output: ['audio'] } },
    pictures: { limit: { context: 0, output: 0 }, modalities: { input: ['text'], output: ['text', 'image'] } },
  },
}

function lines(provider: string): string[] {
  return modelsFile(provider, catalog, '2026-07-02')
    .split('\n')
    .filter((line) => line.startsWith('  {'))
}

describe('The file of a provider’s models', () => {
  it('has current chat and embedding models, one a line, with prices in nano-dollars', () => {
    expect(lines('some')).toEqual([
      "  { id: 'a-chat', families: ['chat'], context: 200_000, output: 8_192, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 150_000_000, output: 600_000_000, cacheRead: 75_000_000, cacheWrite: 187_500_000 } },",
      "  { id: 'a-long', families: ['chat'], context: 200_000, output: 8_192, inputs: ['text', 'image'], price: { id: source, input: 1_000_000_000, output: 2_000_000_000, long: { above: 100_000, input: 2_000_000_000, output: 3_000_000_000 } } },",
      "  { id: 'a-switch', families: ['chat'], context: 200_000, output: 8_192, inputs: ['text', 'image'] },",
      "  { id: 'b-embedding', families: ['embeddings'], context: 8_191, inputs: ['text'], price: { id: source, input: 130_000_000, output: 0 } },",
    ])
  })

  it('names source and date', () => {
    expect(modelsFile('some', catalog, '2026-07-02')).toContain("const source = 'models.dev@2026-07-02'")
  })

  it('mends what models.dev does not say', () => {
    expect(lines('openai')[0]).toContain("inputs: ['text', 'image', 'pdf']")
    expect(lines('anthropic')[0]).toContain('cacheWriteLong: 300_000_000')
    expect(lines('anthropic')[0]).toContain('tiers: { batch: { factor: 0.5 } }, units: { searches: 10_000_000 } } }')
    expect(lines('openai').map((line) => line.includes('tiers: { flex: { factor: 0.5 } }'))).toEqual([true, true, false, false])
  })
})
