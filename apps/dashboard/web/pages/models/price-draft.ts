import type { BodyOf } from '../../api/call.ts'
import { nanosOf, typedMoney } from '../../formats/money.ts'
import { decimalText, typedDecimal } from '../../formats/typed-numbers.ts'
import { LABELS } from '../../labels.ts'
import type { ModelPrice } from './price-table.tsx'

/** Kinds of tokens with a rate, the usual ones first. */
export const USUAL_RATES = [
  ['input', LABELS.input],
  ['output', LABELS.output],
  ['cacheRead', LABELS.cacheRead],
  ['cacheWrite', LABELS.cacheWrite],
  ['cacheWriteLong', LABELS.cacheWriteLong],
] as const
export const MEDIA_RATES = [
  ['audioInput', LABELS.audioInput],
  ['audioCached', LABELS.audioCached],
  ['audioOutput', LABELS.audioOutput],
  ['imageInput', LABELS.imageInput],
  ['imageOutput', LABELS.imageOutput],
] as const
const RATES = [...USUAL_RATES, ...MEDIA_RATES]

export type RateName = (typeof RATES)[number][0]
export type RatesDraft = Readonly<Partial<Record<RateName, string>>>

/** Unit other than tokens, with its price per million as typed. */
export interface UnitDraft {
  readonly name: string
  /** Variant such as `high:1024x1024`. Empty = any. */
  readonly variant: string
  readonly amount: string
}

/** Minimum count of a unit as typed. */
export interface LeastDraft {
  readonly name: string
  readonly count: string
}

/** Service tier: a factor for every rate, or rates. */
export interface TierDraft {
  readonly name: string
  readonly kind: 'factor' | 'rates'
  readonly factor: string
  readonly rates: RatesDraft
  /** Rates for long requests, which the form does not show. */
  readonly long?: TierTariff['long'] | undefined
}

/** Price as typed. */
export interface PriceDraft {
  readonly rates: RatesDraft
  /** Number of input tokens above which a request is long; empty = no rates for long requests. */
  readonly above: string
  readonly long: RatesDraft
  readonly units: readonly UnitDraft[]
  readonly least: readonly LeastDraft[]
  readonly tiers: readonly TierDraft[]
  readonly minimum: string
}

export type RatesBody = BodyOf<'PUT /prices'>['rates']
type TierRates = NonNullable<RatesBody['tiers']>[string]
type TierTariff = Exclude<TierRates, { factor: number }>
type TokenRates = Record<'input' | 'output', number> & Partial<Record<RateName, number>>

/** Problems by the path of a field: `rates.input`, `tiers.0.factor`. */
export type PriceProblems = Readonly<Record<string, string>>

/** Draft of a price; undefined = no price. */
export function draftOf(price: Omit<ModelPrice, 'id'> | undefined): PriceDraft {
  const { long, units = {}, variants = {}, least = {}, tiers = {}, minimum, ...rates } = price ?? {}
  const { above, ...longRates } = long ?? {}
  return {
    rates: typedRates(rates),
    above: above === undefined ? '' : String(above),
    long: typedRates(longRates),
    units: [['', units] as const, ...Object.entries(variants)].flatMap(([variant, prices]) =>
      Object.entries(prices).map(([name, nanos]) => ({ name, variant, amount: typedMoney(String(nanos)) })),
    ),
    least: Object.entries(least).map(([name, number]) => ({ name, count: String(number) })),
    tiers: Object.entries(tiers).map(([name, tier]) => tierDraft(name, tier)),
    minimum: minimum === undefined ? '' : typedMoney(String(minimum)),
  }
}

function tierDraft(name: string, tier: TierRates): TierDraft {
  if ('factor' in tier) return { name, kind: 'factor', factor: typedDecimal(String(tier.factor)), rates: {} }
  const { long, ...rates } = tier
  return { name, kind: 'rates', factor: '', rates: typedRates(rates), ...(long && { long }) }
}

function typedRates(rates: Readonly<Partial<Record<RateName, number | undefined>>>): RatesDraft {
  return Object.fromEntries(
    RATES.flatMap(([name]) => {
      const nanos = rates[name]
      return nanos === undefined ? [] : [[name, typedMoney(String(nanos))]]
    }),
  )
}

const AMOUNT = 'Enter an amount in dollars, such as 0.25.'

/** Rates of a draft, or all problems. */
export function ratesOf(draft: PriceDraft): { readonly rates: RatesBody } | { readonly problems: PriceProblems } {
  const problems: Record<string, string> = {}
  const rates = tokenRates(draft.rates, 'rates', problems)
  const long = longOf(draft, problems)
  const { '': units, ...variants } = unitsOf(draft.units, problems)
  const least = leastOf(draft.least, problems)
  const tiers = tiersOf(draft.tiers, problems)
  const minimum = amountOf(draft.minimum, 'minimum', problems)
  if (Object.keys(problems).length > 0) return { problems }
  return {
    rates: {
      ...rates,
      ...(long && { long }),
      ...(units && { units }),
      ...(Object.keys(variants).length > 0 && { variants }),
      ...(Object.keys(least).length > 0 && { least }),
      ...(Object.keys(tiers).length > 0 && { tiers }),
      ...(minimum !== undefined && { minimum }),
    },
  }
}

function amountOf(
  typed: string,
  field: string,
  problems: Record<string, string>,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (typed.trim() === '') return undefined
  const nanos = Number(nanosOf(typed) ?? Number.NaN)
  if (nanos <= most) return nanos
  problems[field] = AMOUNT
  return undefined
}

/** Rates per million tokens. Models without tokens have 0 for input and output. */
function tokenRates(draft: RatesDraft, at: string, problems: Record<string, string>): TokenRates {
  const known = Object.fromEntries(
    RATES.flatMap(([name]) => {
      const nanos = amountOf(draft[name] ?? '', `${at}.${name}`, problems)
      return nanos === undefined ? [] : [[name, nanos]]
    }),
  ) as Partial<TokenRates>
  for (const name of ['input', 'output'] as const)
    if (known[name] === undefined && !(`${at}.${name}` in problems))
      problems[`${at}.${name}`] = 'Enter a rate. 0 = free, or priced by units only.'
  return { input: 0, output: 0, ...known }
}

function longOf({ above, long }: PriceDraft, problems: Record<string, string>): RatesBody['long'] {
  const hasRates = Object.values(long).some((typed) => typed.trim() !== '')
  if (above.trim() === '' && !hasRates) return undefined
  const limit = Number(decimalText(above) ?? Number.NaN)
  if (!Number.isSafeInteger(limit) || limit < 1) problems['above'] = 'Enter a number of tokens, such as 200000.'
  return { ...tokenRates(long, 'long', problems), above: limit }
}

/** Prices of units by variant; the empty name has prices for all variants. */
function unitsOf(
  units: readonly UnitDraft[],
  problems: Record<string, string>,
): Record<string, Record<string, number>> {
  const known: Record<string, Record<string, number>> = {}
  for (const [index, { name, variant, amount }] of units.entries()) {
    const unit = name.trim()
    const made = variant.trim()
    const nanos = amountOf(amount, `units.${index}.amount`, problems, Number.MAX_VALUE)
    if (unit === '' && made === '' && amount.trim() === '') continue
    if (unit === '' || Object.hasOwn(known[made] ?? {}, unit))
      problems[`units.${index}.name`] = 'Enter a unit that is not listed yet.'
    else if (nanos === undefined) problems[`units.${index}.amount`] ??= AMOUNT
    else known[made] = { ...known[made], [unit]: nanos }
  }
  return known
}

function leastOf(least: readonly LeastDraft[], problems: Record<string, string>): Record<string, number> {
  const known: Record<string, number> = {}
  for (const [index, { name, count }] of least.entries()) {
    const unit = name.trim()
    const number = Number(decimalText(count) ?? Number.NaN)
    if (unit === '' && count.trim() === '') continue
    if (unit === '' || Object.hasOwn(known, unit))
      problems[`least.${index}.name`] = 'Enter a unit that is not listed yet.'
    else if (!Number.isSafeInteger(number)) problems[`least.${index}.count`] = 'Enter a number of units, such as 10000.'
    else known[unit] = number
  }
  return known
}

function tiersOf(tiers: readonly TierDraft[], problems: Record<string, string>): Record<string, TierRates> {
  const known: Record<string, TierRates> = {}
  for (const [index, tier] of tiers.entries()) {
    const name = tier.name.trim()
    if (name === '' || name in known) problems[`tiers.${index}.name`] = 'Enter a tier that is not listed yet.'
    known[name] = tier.kind === 'factor' ? factorOf(tier, index, problems) : ratesOfTier(tier, index, problems)
  }
  return known
}

function factorOf({ factor }: TierDraft, index: number, problems: Record<string, string>): { factor: number } {
  const value = Number(decimalText(factor) ?? Number.NaN)
  if (!(value >= 0 && value <= 1_000)) problems[`tiers.${index}.factor`] = 'Enter a factor, such as 0.5.'
  return { factor: value }
}

function ratesOfTier({ rates, long }: TierDraft, index: number, problems: Record<string, string>): TierTariff {
  return { ...tokenRates(rates, `tiers.${index}.rates`, problems), ...(long && { long }) }
}
