import type { CommandStore, SeriesPoint } from '@headgate/store'
import { type CommandContext, table, usageError } from './command.ts'
import { sixPlaces } from './money.ts'
import { DIMENSIONS, type Grouping, type UsageQuery } from './usage-query.ts'

interface UsageSumRow {
  requests: number
  /** Requests of unknown cost. No sum includes them. */
  unpriced: number
  failed: number
  input: number
  output: number
  cost: bigint
  charged: bigint
}

/** Default time range of sums in milliseconds. */
const USUAL = 30 * 86_400_000

/** Prints sums from the roll-ups, grouped or in total. */
export async function printSums(
  { print }: Pick<CommandContext, 'print'>,
  { usage }: Pick<CommandStore, 'usage'>,
  { from, to, filters: { endpoint, failure, tag, ...filters } }: UsageQuery,
  { step, by }: Grouping,
): Promise<void> {
  if (endpoint !== undefined) throw usageError('--by prints sums by provider, not by endpoint. Omit --endpoint.')
  if (failure !== undefined || tag) throw usageError('--by shows failures in a separate column. Omit --failed.')
  const until = to ?? Date.now() + 1
  const points = await usage.series({
    from: from ?? until - USUAL,
    to: until,
    step: step ?? 'day',
    filters,
    // Without a dimension all points are added up, so any dimension works.
    by: by.length > 0 ? by : [DIMENSIONS[1] ?? 'provider'],
  })
  const sums = new Map<string, UsageSumRow>()
  for (const point of points) add(sums, cellsOf(point, step, by), point)
  const headings = [...(step ? [step.toUpperCase()] : []), ...by.map((dimension) => dimension.toUpperCase())]
  const rows = [...sums].map(([key, sum]) => [...(JSON.parse(key) as string[]), ...textsOf(sum)])
  print(table([...headings, 'REQUESTS', 'FAILED', 'INPUT', 'OUTPUT', 'COST', 'CHARGED', 'UNPRICED'], rows))
}

function cellsOf({ start, day, names, isRest }: SeriesPoint, step: Grouping['step'], by: Grouping['by']): string[] {
  const time = step === 'hour' ? new Date(start).toISOString() : (day ?? '')
  return [...(step ? [time] : []), ...by.map((_, index) => names[index] ?? (isRest ? 'others' : '?'))]
}

function add(
  sums: Map<string, UsageSumRow>,
  cells: readonly string[],
  { counts, failed, cost, charged }: SeriesPoint,
): void {
  const key = JSON.stringify(cells)
  const sum = sums.get(key) ?? { requests: 0, unpriced: 0, failed: 0, input: 0, output: 0, cost: 0n, charged: 0n }
  sum.requests += counts.requests
  sum.unpriced += counts.unpriced
  sum.failed += failed ?? 0
  sum.input += counts.input
  sum.output += counts.output
  sum.cost += BigInt(cost)
  sum.charged += BigInt(charged)
  sums.set(key, sum)
}

function textsOf({ requests, unpriced, failed, input, output, cost, charged }: UsageSumRow): string[] {
  // If all requests lack a price, the sum is unknown.
  const money = (nanos: bigint): string => (nanos === 0n && unpriced > 0 ? '?' : sixPlaces(nanos))
  return [...[requests, failed, input, output].map(String), money(cost), money(charged), String(unpriced)]
}
