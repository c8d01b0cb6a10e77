import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isObject, type Json } from '../../../core/src/canonical/json.ts'
import type { ModelFacts, Price } from '../../../core/src/canonical.ts'
import { folder, type Recording, readRecordings } from '../../../core/test/recordings/recordings.ts'
import { createGateway, type Gateway, type ProviderInstance } from '../../src/index.ts'
import { createRandom, type Random } from '../faults/random.ts'
import { forEach } from './stage.ts'

if (folder === undefined)
  process.stderr.write(
    'The cheapest endpoints of recorded requests are left out: HEADGATE_RECORDINGS names no folder.\n',
  )

const KEY = 'sk-caller-0123456789'
/** Requests to compare. */
const REQUESTS = 2_000
/** Names that several providers serve, with other prices each. */
const NAMES = 60
const PROVIDERS = 8
/** Every so many requests get a text that exceeds the thresholds of long-context tariffs. */
const LONG_EVERY = 25
/** Every so many names have long-context tariffs; long requests use these names. */
const LONG_NAMES = 5
const LONG_TEXT = 'A long tale of the sea, and of those who sail on it. '.repeat(24_000)
/** Fields of bodies that select endpoints. */
const ROUTING_FIELDS = ['models', 'provider', 'fallbacks', 'session_id', 'route']

/** Every price of the catalog for chat. */
async function catalogPrices(): Promise<Price[]> {
  const root = resolve(import.meta.dirname, '../../../providers')
  const files = globSync('*/src/models.ts', { cwd: root }).sort()
  const lists = await Promise.all(
    files.map(async (file) => {
      const { models } = (await import(pathToFileURL(join(root, file)).href)) as { models: unknown }
      // Other lists, of models without prices, have other forms.
      const facts = Array.isArray(models) ? (models as readonly ModelFacts[]) : []
      return facts.flatMap(({ price, families }) => (price && families?.includes('chat') ? [price] : []))
    }),
  )
  return lists.flat()
}

/** Prices by name and provider. Undefined: unknown. */
type Prices = readonly (readonly (Price | undefined)[])[]

/** A long-context tariff that is the cheapest of its list for short requests alone. */
function drawLong(prices: readonly Price[], random: Random): readonly Price[] {
  const one = random.pick(prices.filter(({ long, input }) => long && long.input > input))
  const { long = one } = one
  const between = prices.filter(({ input, output }) => input > one.input && input < long.input && output < long.output)
  const higher = prices.filter(({ input, output }) => input > long.input && output > long.output)
  return [one, ...Array.from({ length: 2 }, () => random.pick(between)), random.pick(higher)]
}

/** Prices in which the first provider knows none. */
function drawPrices(prices: readonly Price[]): Prices {
  const random = createRandom(28)
  return Array.from({ length: NAMES }, (_, nth) => {
    if (nth % LONG_NAMES === 0) return [undefined, ...drawLong(prices, random)]
    return [undefined, ...Array.from({ length: PROVIDERS - 1 }, () => random.pick(prices))]
  })
}

const nameOf = (nth: number): string => `shared-${nth}`

function providersOf(drawn: Prices): ProviderInstance[] {
  return Array.from({ length: PROVIDERS }, (_, place) => ({
    name: `p${place}`,
    claims: [],
    baseUrl: 'http://127.0.0.1:9',
    credential: { kind: 'none' },
    chat: [
      { format: 'chat-completions', path: () => '/chat/completions' },
      { format: 'messages', path: () => '/messages' },
      { format: 'generate-content', path: () => '/generate' },
    ],
    closed: true,
    known: drawn.map((row, nth) => ({ id: nameOf(nth), ...(row[place] && { price: row[place] }) })),
  }))
}

/** Characters that a model reads, as the documentation of rate limits describes them. */
function charactersOf(root: unknown): number {
  let sum = 0
  const rest: unknown[] = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') sum += value.length
    else if (Array.isArray(value)) rest.push(...(value as unknown[]))
    else if (isObject(value)) {
      const declaresType = ['media_type', 'mimeType', 'mime_type', 'format'].some((name) => name in value)
      for (const [key, item] of Object.entries(value)) {
        const isText = typeof item === 'string'
        const isMedia = isText && (key === 'file_data' || /^data:[^,]{0,200};base64,/i.test(item))
        if (key === 'type' || key === 'model' || isMedia || (isText && key === 'data' && declaresType)) continue
        rest.push(item)
      }
    }
  }
  return sum
}

/** Tokens of the input: a quarter of the bytes. In large bodies, media count with at most 4,096. */
function inputTokens(bytes: number, body: Json): number {
  const quarter = (count: number): number => Math.floor((count + 3) / 4)
  if (bytes <= 65_536) return quarter(bytes)
  const characters = Math.min(bytes, charactersOf(body))
  return quarter(characters) + Math.min(4_096, quarter(bytes - characters))
}

/** Tokens of the output: the request's limit, else 1,024, for each choice. Undefined: a limit that is no number. */
function outputTokens({ format }: Recording, body: Json): number | undefined {
  const config = body['generationConfig']
  const at = format === 'generate-content' ? (isObject(config) ? config : {}) : body
  const fields = {
    'chat-completions': ['max_tokens', 'max_completion_tokens'],
    messages: ['max_tokens'],
    'generate-content': ['maxOutputTokens'],
    responses: [],
  }[format]
  const limits = fields.map((name) => at[name]).filter((value) => value !== undefined && value !== null)
  const choices = at[format === 'generate-content' ? 'candidateCount' : 'n'] ?? 1
  if (![...limits, choices].every((value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0))
    return undefined
  return (limits.length === 0 ? 1_024 : Math.max(...(limits as number[]))) * (choices as number)
}

/** Cost in nano-dollars, calculated exactly; undefined = unknown. */
function costOf(price: Price | undefined, input: number, output: number): bigint | undefined {
  if (!price) return undefined
  const rates = price.long !== undefined && input > price.long.above ? price.long : price
  const sum = BigInt(input) * BigInt(rates.input) + BigInt(output) * BigInt(rates.output)
  const cost = (sum + 500_000n) / 1_000_000n
  const least = BigInt(price.minimum ?? 0)
  return cost < least ? least : cost
}

interface Compared {
  readonly id: string
  readonly path: string
  readonly body: string
  /** Costs by provider; undefined = unknown. */
  readonly costs: readonly (bigint | undefined)[]
  readonly isLong: boolean
}

/** Request with a long text before its first turn. */
function lengthened(format: Recording['format'], body: Json): Json {
  const turns = format === 'generate-content' ? 'contents' : 'messages'
  const turn =
    format === 'generate-content'
      ? { role: 'user', parts: [{ text: LONG_TEXT }] }
      : { role: 'user', content: [{ type: 'text', text: LONG_TEXT }] }
  return { ...body, [turns]: [...(body[turns] as unknown[]), turn] }
}

function comparedOf(recording: Recording, nth: number, drawn: Prices): Compared | undefined {
  const { id, format, request } = recording
  if (!request || format === 'responses' || ROUTING_FIELDS.some((name) => name in request)) return undefined
  const name = nth % NAMES
  const isLong = nth % LONG_EVERY === 0
  const given: Json = format === 'generate-content' ? request : { ...request, model: nameOf(name) }
  if (!Array.isArray(given[format === 'generate-content' ? 'contents' : 'messages'])) return undefined
  const json = isLong ? lengthened(format, given) : given
  const body = JSON.stringify(json)
  const output = outputTokens(recording, json)
  if (output === undefined) return undefined
  const input = inputTokens(Buffer.byteLength(body), json)
  const path = {
    'chat-completions': '/v1/chat/completions',
    messages: '/v1/messages',
    'generate-content': `/v1beta/models/${nameOf(name)}:generateContent`,
  }[format]
  const costs = (drawn[name] ?? []).map((one) => costOf(one, input, output))
  return { id, path, body, costs, isLong }
}

interface DryRun {
  readonly candidates: readonly { readonly provider: string; readonly refused: unknown; readonly why: string }[]
}

/** Candidates in their order; undefined = the request is invalid. */
async function dryRun(gateway: Gateway, { path, body }: Compared): Promise<DryRun | undefined> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'headgate-dry-run': 'true',
    'headgate-policy': 'cheapest',
  }
  const response = await gateway.fetch(new Request(`http://gateway.test${path}`, { method: 'POST', headers, body }))
  if (response.status === 200) return (await response.json()) as DryRun
  await response.text()
  expect(response.status).toBe(400)
  return undefined
}

/** Difference between the order of a dry run and the calculated costs; undefined = none. */
function differenceOf({ candidates }: DryRun, { costs }: Compared): string | undefined {
  const open = candidates.filter(({ refused }) => refused === null)
  const found = open.map(({ provider }) => costs[Number(provider.slice(1))])
  const least = costs.reduce((one, other) => (other !== undefined && (one === undefined || other < one) ? other : one))
  const [first] = found
  if (first !== least) return `${open[0]?.provider} costs ${first}, the cheapest ${least} (${open[0]?.why})`
  return found.at(-1) === undefined ? undefined : 'the unknown price is not last'
}

describe.runIf(folder !== undefined)('The policy cheapest', { tags: ['full'] }, () => {
  it('chooses what an independent calculation chooses, for 2,000 recorded requests', async () => {
    const drawn = drawPrices(await catalogPrices())
    const gateway = createGateway({
      providers: providersOf(drawn),
      authenticate: (credential) => (credential === KEY ? { id: 'key-1' } : undefined),
      // Recordings name what their own accounts have stored.
      responses: { foreignIds: 'allow' },
      onWarning: () => {},
    })
    onTestFinished(() => gateway.close())
    const requests = readRecordings().chat.flatMap((recording, nth) => comparedOf(recording, nth, drawn) ?? [])
    const problems: string[] = []
    const chosen = new Set<bigint | undefined>()
    let compared = 0
    let long = 0
    await forEach(requests, async (request) => {
      if (compared >= REQUESTS) return
      const answer = await dryRun(gateway, request)
      if (!answer || compared >= REQUESTS) return
      compared++
      if (request.isLong) long++
      chosen.add(request.costs[Number(answer.candidates[0]?.provider.slice(1))])
      const difference = differenceOf(answer, request)
      if (difference !== undefined) problems.push(`${request.id}: ${difference}`)
    })
    expect(problems).toEqual([])
    expect([compared, long > REQUESTS / LONG_EVERY / 2]).toEqual([REQUESTS, true])
    expect(chosen.size).toBeGreaterThan(500)
  })
})
