import { inDollars } from '../../cost/dollars.ts'
import type { RankedTarget, RankInput, RankTarget } from './types.ts'

/** Order of the conditions: targets of a later one are used after all targets of an earlier one. */
export const WELL = 0
export const LOW = 1
export const FULL = 2
export const EJECTED = 3

/** Remarks that explain a place. */
export type PlaceRemark =
  | 'none'
  /** There is no other target. */
  | 'only'
  /** Ejected, but used because at most half of the targets can be ejected. */
  | 'restored'
  /** Far more calls than its share. */
  | 'loaded'
  /** Chosen to measure it again. */
  | 'explored'
  /** Without a measurement; the figure is the median of the others. */
  | 'unmeasured'

/** Separators of thousands. */
const THOUSANDS = /\B(?=(\d{3})+$)/g
/** Significant digits of amounts. */
const DIGITS = 3

/** Target in an order that is not final yet. */
export class Place<T extends RankTarget> implements RankedTarget<T> {
  readonly target: T
  readonly input: RankInput<T>
  /** Position in the configuration. */
  readonly index: number
  /** `WELL`, `LOW`, `FULL` or `EJECTED`. */
  condition: number
  /** True if it is placed before the others of its tier. */
  isFirst = false
  /** True if it is placed before cold ones of its tier, because of its cache. */
  isWarm = false
  remark: PlaceRemark = 'none'
  /** Figure of the policy: lower is earlier. */
  figure = 0
  /** Order among equal figures. */
  tie = 0
  /** Tokens that are expected in its cache, and the amount that they save in nano-dollars; NaN = unknown. */
  cached = 0
  saved = Number.NaN
  /** Load compared with the limit: 0 at the target's share of all calls, 1 at the limit. */
  over = 0

  constructor(target: T, input: RankInput<T>, index: number, condition: number) {
    this.target = target
    this.input = input
    this.index = index
    this.condition = condition
  }

  get why(): string {
    const condition = conditionOf(this)
    if (condition !== undefined) return condition
    const figure = figureOf(this)
    return this.cached > 0 && usesWarmth(this.input) ? withWarmth(this, figure) : figure
  }
}

function conditionOf({ target, condition, remark, input }: Place<RankTarget>): string | undefined {
  if (remark === 'restored') return 'in cooldown, as more than half of the endpoints are'
  switch (condition) {
    case EJECTED: {
      const seconds = Math.ceil(((target.until ?? Number.NaN) - input.now) / 1_000)
      return seconds > 0 ? `in cooldown for ${seconds} s` : 'in cooldown'
    }
    case FULL:
      return Number.isFinite(target.limit) ? `full: ${target.inFlight} of ${target.limit} calls in progress` : 'full'
    case LOW:
      return 'close to a rate limit of the upstream'
    default:
      return undefined
  }
}

function figureOf({ target, figure, remark, input }: Place<RankTarget>): string {
  if (remark === 'only') return 'the only endpoint'
  if (remark === 'explored') return 'no call of it in the last minute: measured again'
  switch (input.policy) {
    case 'cheapest':
      return Number.isFinite(figure) ? `$${dollars(figure)} expected` : 'its price is unknown'
    case 'fastest':
      return remark === 'unmeasured'
        ? 'its time to the first token is unknown'
        : `${Math.round(figure)} ms to the first token`
    case 'least-busy':
      return target.inFlight === 1 ? '1 call in progress' : `${target.inFlight} calls in progress`
    case 'weighted':
      return shareOf(target, input.targets)
    default:
      return positionOf(target, input.targets)
  }
}

function positionOf(target: RankTarget, targets: readonly RankTarget[]): string {
  let before = 0
  let size = 0
  let total = 0
  for (const one of targets) {
    const { tier, weight } = one
    if (tier < target.tier && targets.find((other) => other.tier === tier) === one) before++
    if (tier !== target.tier) continue
    size++
    total += weight
  }
  const place = before === 0 ? 'first in the configuration' : `place ${before + 1} in the configuration`
  if (size === 1) return place
  const share = weightText(target.weight, total)
  return before === 0 ? share : `${place}, ${share}`
}

function shareOf({ weight }: RankTarget, group: readonly RankTarget[]): string {
  let total = 0
  for (const one of group) total += one.weight
  return weightText(weight, total)
}

function weightText(weight: number, total: number): string {
  return `weight ${round(weight)} of ${round(total)}`
}

function usesWarmth({ policy }: RankInput): boolean {
  return policy !== 'fastest'
}

function withWarmth({ cached, saved, remark, input }: Place<RankTarget>, figure: string): string {
  const tokens = `${String(cached).replace(THOUSANDS, ',')} tokens are warm there`
  if (remark === 'loaded') return `${tokens}, but it has too many calls for its weight`
  const saving = saved > 0 ? `: $${dollars(saved)} saved` : ''
  return input.policy === 'cheapest' ? `${figure}; ${tokens}${saving}` : `${tokens}${saving}`
}

function round(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS + 1))
}

/** Amount in dollars, with three significant digits. */
function dollars(amount: number): string {
  const digits = Math.floor(Math.log10(amount)) + 1 - DIGITS
  if (digits <= 0) return inDollars(amount)
  const step = 10 ** digits
  return inDollars(Math.round(amount / step) * step)
}
