import type { Section } from './file.ts'

/** LiteLLM's prices per token → rates of `prices`, which are per million tokens. */
const RATES: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWriteLong',
  input_cost_per_audio_token: 'audioInput',
  output_cost_per_audio_token: 'audioOutput',
  input_cost_per_image_token: 'imageInput',
  output_cost_per_image_token: 'imageOutput',
}

/** LiteLLM's price per search of a reranker. */
const SEARCH = 'input_cost_per_query'
const LONG = /^(.+)_above_(\d+)k_tokens$/
const COST = /_cost(_|$)|^cost_/

export interface ImportedPrice {
  readonly input: number
  readonly output: number
  readonly [rate: string]:
    | number
    | { readonly above: number; readonly input: number; readonly output: number }
    | { readonly searches: number }
}

/** True if a parameter is a price, which {@link priceOf} reads or {@link unreadPrices} names. */
export function isPrice(parameter: string): boolean {
  return COST.test(parameter)
}

/** LiteLLM prices that `prices` cannot express. */
export function unreadPrices(given: Section): string[] {
  return Object.keys(given).filter(
    (name) => isPrice(name) && given[name] !== null && !Object.hasOwn(RATES, rateName(name)) && name !== SEARCH,
  )
}

function rateName(parameter: string): string {
  return LONG.exec(parameter)?.[1] ?? parameter
}

/** Entry of `prices` in US dollars per million tokens; undefined if the file has no price. */
export function priceOf(given: Section): ImportedPrice | undefined {
  const rates = ratesOf(given, (name) => Object.hasOwn(RATES, name))
  const above = Object.keys(given).flatMap((name) => LONG.exec(name)?.[2] ?? [])[0]
  const suffix = `_above_${above}k_tokens`
  const long = ratesOf(given, (name) => name.endsWith(suffix))
  const search = amount(given[SEARCH])
  if (rates['input'] === undefined && rates['output'] === undefined && search === undefined) return undefined
  const usual = { input: 0, output: 0, ...rates }
  return {
    ...usual,
    ...(above !== undefined &&
      Object.keys(long).length > 0 && { long: { above: Number(above) * 1000, ...usual, ...long } }),
    ...(search !== undefined && { units: { searches: perMillion(search) } }),
  }
}

function ratesOf(given: Section, isRate: (name: string) => boolean): Record<string, number> {
  const rates = Object.entries(given).flatMap(([name, value]): [string, number][] => {
    const rate = isRate(name) ? RATES[rateName(name)] : undefined
    const dollars = amount(value)
    return rate !== undefined && dollars !== undefined ? [[rate, perMillion(dollars)]] : []
  })
  return Object.fromEntries(rates)
}

/** Price per million. It has at most nine decimals; converted prices have more. */
function perMillion(dollars: number): number {
  return Number((dollars * 1_000_000).toFixed(9))
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined
}
