import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../packages/core/src/canonical/target.ts'
import { isGenerated, listedAs } from '../catalog/models-file.ts'
import { confirmed, folded, type ServedModel, sharedNames } from '../catalog/same-models.ts'
import { CONFIRMED, MIXED_PRECISION, NOT_SAME, OTHER_IDS } from '../catalog/same-models-confirmed.ts'

const root = resolve(import.meta.dirname, '../..')

interface PackageModel extends ServedModel {
  readonly same: string | undefined
}

/** Models of all packages whose file the tool has written. */
async function packageModels(): Promise<PackageModel[]> {
  const paths = globSync('packages/providers/*/src/models.ts', { cwd: root })
    .sort()
    .filter((path) => listedAs(readFileSync(join(root, path), 'utf8')) !== undefined)
  const files = paths.map(async (path) => {
    const { models }: { models: readonly ModelFacts[] } = await import(pathToFileURL(join(root, path)).href)
    const provider = basename(dirname(dirname(path)))
    return models.map(({ id, same, context, inputs }) => ({ provider, id, same, context, inputs }))
  })
  return (await Promise.all(files)).flat()
}

const models = await packageModels()
const providersOf = Map.groupBy(
  models.filter(({ same }) => same !== undefined),
  ({ same }) => same,
)

describe('The name that is folded from an id', () => {
  it.each<[id: string, name: string, date?: string | undefined, stage?: string | undefined]>([
    ['claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', '20250929'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5', '20250929'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', '20250929'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['databricks-claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['claude-opus-4-8@default', 'claude-opus-4-8'],
    ['gpt-4o-2024-08-06', 'gpt-4o', '2024-08-06'],
    ['openai.gpt-oss-120b-1:0', 'gpt-oss-120b'],
    ['openai/gpt-oss-120b-maas', 'gpt-oss-120b'],
    ['@cf/openai/gpt-oss-120b', 'gpt-oss-120b'],
    ['accounts/fireworks/models/kimi-k2p6', 'kimi-k2-6'],
    ['moonshotai/Kimi-K2.6', 'kimi-k2-6'],
    ['google/gemini-3-flash-preview', 'gemini-3-flash', undefined, 'preview'],
    ['~google/gemini-flash-latest', 'gemini-flash', undefined, 'latest'],
    ['mistral-large-2411', 'mistral-large', '2411'],
    ['meta.llama3-3-70b-instruct-v1:0', 'llama-3-3-70b-instruct'],
    ['meta/meta-llama-3.1-8b-instruct', 'llama-3-1-8b-instruct'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'llama-3-3-70b-instruct'],
    ['deepseek.v3.2', 'deepseek-v3-2'],
    ['us.deepseek.r1-v1:0', 'deepseek-r1'],
    ['deepseek-ai/DeepSeek-R1-0528', 'deepseek-r1-0528'],
    ['nvidia.nemotron-nano-9b-v2', 'nemotron-nano-9b-v2'],
    ['qwen2.5-7b', 'qwen2-5-7b'],
  ])('of %s is %s', (id, name, date, stage) => {
    expect(folded(id)).toEqual({ name, date, stage })
  })

  it.each([
    '-turbo',
    '-fast',
    '-fp8',
    '-fp8-fast',
    '-fp4',
    '-int4',
    '-awq',
    '-thinking',
    '-highspeed',
    '-instant',
    '-versatile',
    '-lite',
    '-mini',
    '-distill-qwen-32b',
    ':free',
    ':thinking',
    ':nitro',
  ])('keeps the variant %s', (variant) => {
    for (const { key } of CONFIRMED) {
      expect(folded(`vendor/${key}${variant}`).name).toBe(`${key}${variant}`)
      const found = confirmed('some', `vendor/${key}${variant}`)?.key
      expect([undefined, `${key}${variant}`]).toContain(found)
    }
  })
})

describe('A confirmed model', () => {
  it.each<[string, string, string | undefined]>([
    ['some', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['some', 'claude-sonnet-4-5-20260101', undefined],
    ['some', 'claude-opus-4-8-20260528', undefined],
    ['some', 'gpt-4o-2024-11-20', 'gpt-4o-2024-11-20'],
    ['some', 'gpt-4o', 'gpt-4o'],
    ['azure', 'gpt-4o', undefined],
    ['some', 'gemini-3-flash-preview', 'gemini-3-flash'],
    ['some', 'gemini-3.1-flash-lite-preview', undefined],
    ['some', 'gemini-2.5-flash-latest', undefined],
    ['some', 'mistral-large-latest', undefined],
    ['some', 'mistral-large', undefined],
    ['some', 'deepseek-chat', undefined],
    ['some', 'meta/llama-3.3-70b-instruct', 'llama-3-3-70b-instruct'],
    ['openrouter', 'meta-llama/llama-3.3-70b-instruct', undefined],
    ['openrouter', 'openai/gpt-oss-120b', 'gpt-oss-120b'],
    ['groq', 'llama-3.3-70b-versatile', undefined],
    ['github-models', 'openai/gpt-4.1', undefined],
    ['bedrock', 'anthropic.claude-sonnet-5', undefined],
    ['bedrock', 'eu.anthropic.claude-sonnet-5', 'claude-sonnet-5'],
    ['bedrock', 'deepseek.v3-v1:0', 'deepseek-v3-1'],
  ])('at %s of %s is %s', (provider, id, key) => {
    expect(confirmed(provider, id)?.key).toBe(key)
  })

  it('is not served by a provider that shortens it or that lacks its image input', () => {
    const inputs = ['text', 'image']
    const id = 'claude-opus-4-8'
    const names = sharedNames([
      { provider: 'anthropic', id, context: 1_000_000, inputs },
      { provider: 'half', id, context: 500_000, inputs: [...inputs, 'pdf'] },
      { provider: 'short', id, context: 499_999, inputs },
      { provider: 'blind', id, context: 1_000_000, inputs: ['text'] },
      { provider: 'unknown', id },
    ])
    expect([...names.keys()]).toEqual([`anthropic/${id}`, `half/${id}`, `unknown/${id}`])
  })

  it('is measured by the median if its vendor does not serve it', () => {
    const id = 'gpt-oss-120b'
    const contexts = { a: 131_072, b: 128_000, c: 128_000, d: 32_000, e: 1_000_000 }
    const served = Object.entries(contexts).map(([provider, context]) => ({ provider, id, context, inputs: ['text'] }))
    expect([...sharedNames(served).keys()]).toEqual([`a/${id}`, `b/${id}`, `c/${id}`, `e/${id}`])
  })
})

describe('The list of confirmed models', () => {
  it('has each model once, with a source', () => {
    expect(new Set(CONFIRMED.map(({ key }) => key)).size).toBe(CONFIRMED.length)
    const unsourced = CONFIRMED.filter(({ source }) => !/^https:\/\/\S+$|^models\.dev@\d{4}-\d\d-\d\d$/.test(source))
    expect(unsourced).toEqual([])
  })

  it('has models of at least two providers', () => {
    const single = CONFIRMED.filter(({ key }) => new Set(providersOf.get(key)?.map((one) => one.provider)).size < 2)
    expect(single.map(({ key }) => key)).toEqual([])
  })

  it('has vendors, ids and exceptions that exist', () => {
    const places = models.map(({ provider, id }) => `${provider}/${id}`)
    const providers = new Set(models.map(({ provider }) => provider))
    expect(CONFIRMED.flatMap(({ vendor }) => (vendor && !providers.has(vendor) ? vendor : []))).toEqual([])
    expect(Object.keys(OTHER_IDS).filter((place) => !places.includes(place))).toEqual([])
    expect(Object.values(OTHER_IDS).filter((key) => !CONFIRMED.some((one) => one.key === key))).toEqual([])
    const unused = Object.keys(NOT_SAME).filter(
      (pattern) =>
        !places.some((place) => (pattern.endsWith('*') ? place.startsWith(pattern.slice(0, -1)) : place === pattern)),
    )
    expect(unused).toEqual([])
    expect(Object.keys(MIXED_PRECISION).filter((provider) => !providers.has(provider))).toEqual([])
  })
})

describe('The files of models', () => {
  it('have the names that the tool gives', () => {
    const names = sharedNames(models)
    const wrong = models.filter(({ provider, id, same }) => names.get(`${provider}/${id}`) !== same)
    expect(wrong).toEqual([])
  })

  it('are recognized, also those with a long header', () => {
    const path = 'packages/providers/cloudflare/src/models.ts'
    const comments = readFileSync(join(root, path), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('//'))
      .map((line) => ({ value: line.slice(2) }))
    expect(isGenerated({ path, comments })).toBe(true)
  })

  it('give one model of one vendor the same name at its clouds', () => {
    const places = providersOf.get('claude-sonnet-4-5')?.map(({ provider, id }) => `${provider}/${id}`)
    expect(places).toEqual(
      expect.arrayContaining([
        'anthropic/claude-sonnet-4-5',
        'anthropic/claude-sonnet-4-5-20250929',
        'azure/claude-sonnet-4-5',
        'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
        'databricks/databricks-claude-sonnet-4-5',
        'openrouter/anthropic/claude-sonnet-4.5',
        'vertex/claude-sonnet-4-5@20250929',
      ]),
    )
    expect(places).not.toContain('bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0')
  })

  it('give quantized and faster variants no name of another model', () => {
    const variants = models.filter(({ id }) => /[-:](?:turbo|fast|fp8|fp4|int4|awq|free|tput|flashx)\b/i.test(id))
    expect(variants.length).toBeGreaterThan(20)
    const named = variants.filter(({ id, same }) => same !== undefined && same !== folded(id).name)
    expect(named).toEqual([])
  })
})
