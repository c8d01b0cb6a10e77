import type { UpstreamDay } from '../usage/upstream-days.ts'
import type { Bill, BillAmounts, BillLine } from './bill.ts'

/** Ledger minus bill. */
export interface Difference {
  /** Tokens, or nano-dollars. */
  readonly absolute: bigint
  /** Percentage of the bill's amount; null if the bill states none, or 0. */
  readonly percent: number | null
}

/** Comparison of a day and model. */
export interface BillComparison {
  readonly day: string
  /** Model name on the bill, otherwise in the ledger. */
  readonly model: string
  /** Undefined if only the ledger has this line. */
  readonly bill: BillAmounts | undefined
  /** Undefined if only the bill has this line. */
  readonly ledger: Required<BillAmounts> | undefined
  /** Differences of the amounts that the bill states. */
  readonly differences: Readonly<Partial<Record<'input' | 'output' | 'cost', Difference>>>
}

/** Comparison of a bill with the ledger. */
export interface Reconciliation {
  /** Lines in the order of days and models. */
  readonly lines: readonly BillComparison[]
  readonly total: Omit<BillComparison, 'day' | 'model'>
  /** Calls of unknown cost, which the bill may include. */
  readonly unpriced: number
}

const AMOUNTS = ['input', 'output', 'cost'] as const
const DAY = 86_400_000

/** Range of the days of a bill in Unix milliseconds, for `daysByModel`; undefined without lines. */
export function rangeOf({ lines }: Pick<Bill, 'lines'>): { readonly from: number; readonly to: number } | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { day } of lines) {
    from = Math.min(from, Date.parse(day))
    to = Math.max(to, Date.parse(day) + DAY)
  }
  return to > from ? { from, to } : undefined
}

/** Compares a bill with the ledger's usage of its provider and days. Dated snapshots of a model count as one model. */
export function compareBill({ lines }: Pick<Bill, 'lines'>, days: readonly UpstreamDay[]): Reconciliation {
  const bills = summed(lines)
  const ledger = summed(
    days.map(({ day, model, input, output, cost }) => ({ day, model, input, output, cost: BigInt(cost) })),
  )
  const keys = [...new Set([...bills.keys(), ...ledger.keys()])].sort()
  const reconciled = keys.map((key): BillComparison => {
    const [bill, own] = [bills.get(key), ledger.get(key)]
    const { day = '', model = '' } = bill ?? own ?? {}
    return { day, model, ...sides(bill, own) }
  })
  const all = (sums: ReadonlyMap<string, BillLine>) => (sums.size > 0 ? total([...sums.values()]) : undefined)
  return {
    lines: reconciled,
    total: sides(all(bills), all(ledger)),
    unpriced: days.reduce((sum, { unpriced }) => sum + unpriced, 0),
  }
}

function sides(bill: BillAmounts | undefined, own: BillAmounts | undefined): Omit<BillComparison, 'day' | 'model'> {
  const ledger = own && { input: own.input ?? 0, output: own.output ?? 0, cost: own.cost ?? 0n }
  const differences: Partial<Record<(typeof AMOUNTS)[number], Difference>> = {}
  for (const name of AMOUNTS) {
    if (bill && bill[name] === undefined) continue
    const [billed, counted] = [BigInt(bill?.[name] ?? 0), BigInt(ledger?.[name] ?? 0)]
    const absolute = counted - billed
    differences[name] = { absolute, percent: billed === 0n ? null : Number((absolute * 1_000_000n) / billed) / 10_000 }
  }
  const stated =
    bill && Object.fromEntries(AMOUNTS.flatMap((name) => (bill[name] === undefined ? [] : [[name, bill[name]]])))
  return { bill: stated, ledger, differences }
}

function summed(lines: readonly BillLine[]): Map<string, BillLine> {
  const sums = new Map<string, BillLine>()
  for (const line of lines) {
    const key = `${line.day} ${sameName(line.model)}`
    const known = sums.get(key)
    sums.set(key, known ? { day: line.day, model: known.model, ...total([known, line]) } : line)
  }
  return sums
}

/** Sum of stated amounts; undefined if no line states the amount. */
function total(lines: readonly BillAmounts[]): BillAmounts {
  let [input, output, cost]: [number?, number?, bigint?] = []
  for (const line of lines) {
    if (line.input !== undefined) input = (input ?? 0) + line.input
    if (line.output !== undefined) output = (output ?? 0) + line.output
    if (line.cost !== undefined) cost = (cost ?? 0n) + line.cost
  }
  return { input, output, cost }
}

/** Normalized model name, since vendors vary the spelling: `Claude Sonnet 4.5`, `claude-sonnet-4-5-20250929`. */
export function sameName(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return name.replaceAll(/[ ._]/g, '-').replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '')
}
