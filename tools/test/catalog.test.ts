import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Listing } from '../catalog/models-dev.ts'
import { listedAs, modelsFile, tamperedWith } from '../catalog/models-file.ts'
import { tree } from './tree.ts'

const text = { input: ['text', 'image'], output: ['text'] }
const limit = { context: 200_000, output: 8_192 }

/** A catalog in the shape of models.dev, with invented models. */
const listing = Listing.parse({
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
      release_date: '2026-01-15',
      limit,
      modalities: text,
      cost: { input: 0.15, output: 0.6, cache_read: 0.075, cache_write: 0.1875 },
    },
    'a-long': {
      limit,
      modalities: text,
      cost: { input: 1, output: 2, tiers: [{ tier: { size: 100_000 }, input: 2, output: 3 }] },
    },
    'a-switch': { temperature: false, reasoning_options: [{ values: ['none', 'high'] }], limit, modalities: text },
    'c-old': {
      status: 'deprecated',
      limit: { context: 200_000, output: 0 },
      modalities: { ...text, output: ['text', 'image'] },
    },
    speech: { limit, modalities: { input: ['text'], output: ['audio'] } },
    hearing: { limit, modalities: { input: ['audio'], output: ['text'] } },
    'd-rerank': { limit, modalities: { input: ['text'], output: ['text'] } },
    pictures: { limit: { context: 0, output: 0 }, modalities: { input: ['text'], output: ['text', 'image'] } },
  },
})

function lines(provider: string, given = listing): string[] {
  return modelsFile(provider, provider, given, '2026-07-02', new Map())
    .split('\n')
    .filter((line) => line.startsWith('  {'))
}

function withCost(id: string, cost: object): string | undefined {
  return lines('some', Listing.parse({ models: { [id]: { limit, modalities: text, cost } } }))[0]
}

describe('The file of a provider’s models', () => {
  it('has chat and embedding models, one a line, with prices in nano-dollars', () => {
    expect(lines('some')).toEqual([
      "  { id: 'a-chat', families: ['chat'], created: 1_768_435_200, context: 200_000, output: 8_192, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 150_000_000, output: 600_000_000, cacheRead: 75_000_000, cacheWrite: 187_500_000 } },",
      "  { id: 'a-long', families: ['chat'], context: 200_000, output: 8_192, inputs: ['text', 'image'], price: { id: source, input: 1_000_000_000, output: 2_000_000_000, long: { above: 100_000, input: 2_000_000_000, output: 3_000_000_000 } } },",
      "  { id: 'a-switch', families: ['chat'], context: 200_000, output: 8_192, inputs: ['text', 'image'] },",
      "  { id: 'b-embedding', families: ['embeddings'], context: 8_191, inputs: ['text'], price: { id: source, input: 130_000_000, output: 0 } },",
      "  { id: 'c-old', families: ['chat'], deprecated: true, context: 200_000, inputs: ['text', 'image'], outputs: ['text', 'image'] },",
    ])
  })

  it('names source and date', () => {
    const file = modelsFile('some', 'some-ai', listing, '2026-07-02', new Map())
    expect(file).toContain("const source = 'models.dev@2026-07-02'")
    expect(file).toContain('Models of `some-ai` at https://models.dev')
  })

  it('mends what models.dev does not say', () => {
    expect(lines('openai')[0]).toContain("inputs: ['text', 'image', 'pdf']")
    expect(lines('anthropic')[0]).toContain('cacheWriteLong: 300_000_000')
    expect(lines('anthropic')[0]).toContain(
      'tiers: { batch: { factor: 0.5 } }, units: { searches: 10_000_000_000_000 } } }',
    )
    expect(lines('openai').map((line) => line.includes('tiers: { flex: { factor: 0.5 } }'))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('has no price where it is not known, or can not be said', () => {
    expect(withCost('a', { input: 0, output: 0 })).not.toContain('price')
    expect(withCost('a:free', { input: 0, output: 0 })).toContain('price: { id: source, input: 0, output: 0 }')
    expect(withCost('a', { input: 1, output: 2, reasoning: 3 })).not.toContain('price')
    const tiers = [32_000, 128_000].map((size) => ({ tier: { size }, input: 2, output: 3 }))
    expect(withCost('a', { input: 1, output: 2, tiers })).not.toContain('price')
    expect(withCost('a', { input: 1, output: 2, cache_read: 0, cache_write: 0 })).not.toContain('cache')
  })

  it('stays as the tool writes it', () => {
    const file = modelsFile('some', 'some-ai', listing, '2026-07-02', new Map())
    const [first = '', second = ''] = lines('some')
    expect(tamperedWith(file)).toBeUndefined()
    expect(tamperedWith(`${file}export const more = 1\n`)).toBe('is not what `pnpm catalog` writes')
    expect(tamperedWith(file.replace('models.dev@2026', 'models.dev@2025'))).toBe('is not what `pnpm catalog` writes')
    expect(tamperedWith(file.replace(`${first}\n${second}`, `${second}\n${first}`))).toBe(
      "has 'a-chat' out of order, or twice",
    )
    expect(tamperedWith(file.replace('input: 150_000_000', 'input: 0.15'))).toContain('not an integer')
  })
})

describe('The header of a file', () => {
  it('continues in a second line if it is long', () => {
    const file = modelsFile('some', 'a-provider-with-a-long-id', listing, '2026-07-02', new Map())
    const [first = '', second] = file.split('\n')
    expect([first.length <= 120, second]).toEqual([true, '// by hand.'])
    expect([listedAs(file), tamperedWith(file)]).toEqual(['a-provider-with-a-long-id', undefined])
  })
})

describe('pnpm catalog', () => {
  const index = 'packages/providers/acme/src/index.ts'
  const models = 'packages/providers/acme/src/models.ts'
  const source = { 'acme-ai': listing, other: { models: {} } }
  const tool = resolve(import.meta.dirname, '../catalog.ts')

  it('writes what it is asked for, then refreshes what it has written', () => {
    const root = tree({ [index]: '', 'packages/providers/by-hand/src/models.ts': 'export const models = []\n' })
    const file = join(root, 'api.json')
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [tool, '--root', root, '--file', file, ...args], { encoding: 'utf8' })
    writeFileSync(file, JSON.stringify(source))
    expect(run('acme=acme-ai', '--date', '2026-07-02')).toBe(`${models}: 5 models\n`)
    const first = readFileSync(join(root, models), 'utf8')
    expect(run('--date', '2026-07-03')).toBe(`${models}: 5 models\n`)
    expect(readFileSync(join(root, models), 'utf8')).toBe(first.replaceAll('2026-07-02', '2026-07-03'))
  })

  it('says what it does not write', () => {
    const root = tree({ [index]: '', [models]: 'export const models = []\n' })
    const file = join(root, 'api.json')
    writeFileSync(file, JSON.stringify(source))
    const told = (...args: string[]) =>
      spawnSync(process.execPath, [tool, '--root', root, ...args], { encoding: 'utf8' }).stderr
    const from = ['--file', file, '--date', '2026-07-02']
    expect(told('acme')).toContain('usage: pnpm catalog')
    expect(told('acme', ...from)).toContain("models.dev has no provider 'acme'")
    expect(told('acme=other', ...from)).toContain('it was written by hand')
    expect(told('none=other', ...from)).toContain('There is no packages/providers/none')
  })
})
