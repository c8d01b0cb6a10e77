import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'

const SOURCE = 'https://models.dev/api.json'

const Cost = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  input_audio: z.number().optional(),
  output_audio: z.number().optional(),
})

/** A model of models.dev, as far as it is read. Costs are US dollars per million tokens. */
const Model = z.object({
  status: z.string().optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.boolean().optional(),
  reasoning_options: z.array(z.object({ values: z.array(z.string().nullable()).optional() })).optional(),
  cost: Cost.extend({
    tiers: z.array(Cost.partial({ output: true }).extend({ tier: z.object({ size: z.number() }) })).optional(),
  }).optional(),
  limit: z.object({ context: z.number(), output: z.number() }),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
})
type Model = z.infer<typeof Model>

/** What models.dev says of one provider: its models by id. */
export const Catalog = z.object({ models: z.record(z.string(), Model) })

interface Correction {
  readonly inputs?: (inputs: readonly string[]) => readonly string[]
  readonly tools?: readonly string[]
  /** Price of what is cached for an hour, as a multiple of the input's. */
  readonly cacheWriteLong?: number
  /** Tiers of service of chat models, by the name that answers have: by what every rate is multiplied. */
  readonly tiers?: Readonly<Record<string, number>>
  /** US dollars of one unit, for chat models. */
  readonly units?: Readonly<Record<string, number>>
}

/** Where models.dev is silent, or contradicts the vendor's documentation. */
const CORRECTIONS: Readonly<Record<string, Correction>> = {
  openai: {
    // Every model that sees takes PDFs: https://platform.openai.com/docs/guides/pdf-files
    inputs: (inputs) => (inputs.includes('image') ? [...new Set([...inputs, 'pdf'])] : inputs),
    // https://platform.openai.com/docs/models/gpt-3.5-turbo
    tools: ['gpt-3.5-turbo'],
    // At the rates of a batch, half of the others: https://developers.openai.com/api/docs/guides/flex-processing
    tiers: { flex: 0.5 },
  },
  anthropic: {
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
    cacheWriteLong: 2,
    // https://platform.claude.com/docs/en/build-with-claude/batch-processing#pricing
    tiers: { batch: 0.5 },
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#usage-and-pricing
    units: { searches: 0.01 },
  },
}

const INPUTS = ['text', 'image', 'pdf', 'audio', 'video']

/** The text of a provider package's `src/models.ts`: its current chat and embedding models, one line each. */
export function modelsFile(provider: string, catalog: z.infer<typeof Catalog>, date: string): string {
  const correction = CORRECTIONS[provider] ?? {}
  const current = Object.entries(catalog.models).filter(([, model]) => isCurrent(model))
  const lines = current.sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, model]) => `  ${literal(factsOf(id, model, correction))},`)
  return `import type { ModelFacts } from '@headgate/core/provider'

/** Facts come from models.dev (https://models.dev, MIT License). Written by \`tools/refresh-models.ts\`, not by hand. */
const source = 'models.dev@${date}'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
${lines.join('\n')}
]
`
}

/** Text comes out of it, and it is not withdrawn. models.dev gives a context of 0 to what only makes images. */
function isCurrent({ status, limit, modalities }: Model): boolean {
  return status !== 'deprecated' && limit.context > 0 && modalities.output.includes('text')
}

function factsOf(id: string, model: Model, correction: Correction): Record<string, unknown> {
  const { limit, modalities, cost } = model
  const known = INPUTS.filter((input) => modalities.input.includes(input))
  const inputs = correction.inputs?.(known) ?? known
  // models.dev writes the length of the vector as the output of an embedding model.
  if (id.includes('embed')) return { id, families: ['embeddings'], context: limit.context, inputs, price: cost && priceOf(cost, {}) }
  return {
    id,
    families: ['chat'],
    context: limit.context,
    output: limit.output,
    inputs,
    tools: correction.tools?.includes(id) || model.tool_call,
    reasoning: model.reasoning,
    sampling: samplingOf(model),
    price: cost && priceOf(cost, correction),
  }
}

/** A model that can be told not to reason takes sampling parameters then: the answer is neither yes nor no. */
function samplingOf({ temperature, reasoning_options: options = [] }: Model): boolean | undefined {
  const switchable = options.some(({ values }) => values?.includes('none'))
  return temperature === false && switchable ? undefined : temperature
}

function priceOf(cost: NonNullable<Model['cost']>, { cacheWriteLong, tiers, units }: Correction): Record<string, unknown> {
  const rates = (given: z.infer<typeof Cost>) => ({
    input: nano(given.input),
    output: nano(given.output),
    // A free read of the cache stands for a model that has none.
    cacheRead: given.cache_read ? nano(given.cache_read) : undefined,
    cacheWrite: nano(given.cache_write),
    cacheWriteLong: given.cache_write === undefined || cacheWriteLong === undefined ? undefined : nano(given.input * cacheWriteLong),
    audioInput: nano(given.input_audio),
    audioOutput: nano(given.output_audio),
  })
  const tier = cost.tiers?.[0]
  const long = tier && { above: tier.tier.size, ...rates({ ...tier, output: tier.output ?? cost.output }) }
  return {
    id: SOURCE_NAME,
    ...rates(cost),
    long,
    tiers: tiers && Object.fromEntries(Object.entries(tiers).map(([tier, factor]) => [tier, { factor }])),
    units: units && Object.fromEntries(Object.entries(units).map(([unit, dollars]) => [unit, nano(dollars)])),
  }
}

/** Nano-dollars of dollars. */
function nano(dollars: number | undefined): number | undefined {
  return dollars === undefined ? undefined : Math.round(dollars * 1_000_000_000)
}

/** Stands for the name of a constant of the written file. */
const SOURCE_NAME = Symbol('source')

/** A value as TypeScript source on one line; undefined members are left out. */
function literal(value: unknown): string {
  if (typeof value === 'symbol') return value.description ?? ''
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, '_')
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{ ${members.map(([key, member]) => `${key}: ${literal(member)}`).join(', ')} }`
}

async function readSource(path: string | undefined): Promise<Record<string, unknown>> {
  if (path !== undefined) return JSON.parse(readFileSync(path, 'utf8'))
  const answer = await fetch(SOURCE, { signal: AbortSignal.timeout(60_000) })
  if (!answer.ok) throw new Error(`${SOURCE} answered ${answer.status}`)
  return z.record(z.string(), z.unknown()).parse(await answer.json())
}

/**
 * `node tools/refresh-models.ts [<path> --date <yyyy-mm-dd>]`: writes `src/models.ts` of every provider package that has
 * one, from models.dev or from a copy of its JSON, whose date must be said.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { date: { type: 'string' } }, allowPositionals: true })
  const [path] = positionals
  if (path !== undefined && values.date === undefined) throw new Error('Say of which date the file is: --date yyyy-mm-dd')
  const date = z.iso.date().parse(values.date ?? new Date().toISOString().slice(0, 10))
  const root = resolve(import.meta.dirname, '..')
  const catalogs = await readSource(path)
  for (const file of globSync('packages/providers/*/src/models.ts', { cwd: root })) {
    const provider = file.split('/')[2] ?? ''
    if (catalogs[provider] === undefined) {
      console.error(`${file} stays as it is: models.dev has no provider '${provider}'`)
      continue
    }
    const text = modelsFile(provider, Catalog.parse(catalogs[provider]), date)
    writeFileSync(join(root, file), text)
    console.log(`${file}: ${text.match(/^ {2}\{/gm)?.length ?? 0} models`)
  }
}

if (import.meta.main) await main()
