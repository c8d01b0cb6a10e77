import { openCommandStore } from '../src/command-store.ts'
import { openConnection, type StoreConnection } from '../src/database/connection.ts'
import { locationOf } from '../src/store.ts'

/** An answer that a caller has whole, and the usage that its upstream reported. */
export interface Served {
  /** Of the request, as the gateway names it. */
  readonly id: string
  readonly input: number
  readonly output: number
  /** Of its row; 200. */
  readonly status?: number
}

/** What is wrong with a store, by the answers that callers have. All empty: nothing. */
export interface Books {
  /** Answers without a row. */
  readonly missing: string[]
  /** Requests that have more than one row. */
  readonly doubled: string[]
  /** Rows that do not have what the upstream reported. */
  readonly wrong: string[]
  /** Sums of hours or days that are not those of the rows. */
  readonly unbalanced: string[]
}

export const SOUND: Books = { missing: [], doubled: [], wrong: [], unbalanced: [] }

/** Takes in what lies in the journals of a data directory, and compares the store with what callers have. */
export async function readBooks(
  place: { dataDir: string; databaseUrl?: string },
  served: readonly Served[],
): Promise<Books> {
  const problems: string[] = []
  const archive = await openCommandStore({ ...place, onProblem: (problem) => problems.push(problem) })
  await archive.ingest().finally(() => archive.close())
  const connection = await openConnection(locationOf(place))
  try {
    return await compare(connection, served, problems)
  } finally {
    await connection.close()
  }
}

const ROW = [
  'request_id',
  'status',
  'why',
  'at',
  'principal',
  'provider',
  'model',
  'family',
  'input',
  'output',
  'cost',
  'charged',
] as const
const SUMS = ['requests', 'input', 'output', 'cost', 'charged'] as const
const DIMENSIONS = ['principal', 'provider', 'model', 'family', 'status'] as const
const HOUR = 3_600_000

type Figures = Readonly<Record<(typeof SUMS)[number], unknown>>

async function compare(
  { db }: StoreConnection,
  served: readonly Served[],
  problems: readonly string[],
): Promise<Books> {
  const rows = await db.selectFrom('usage').select(ROW).execute()
  const byRequest = Map.groupBy(rows, ({ request_id }) => request_id)
  const isRight = ({ id, input, output, status = 200 }: Served): boolean => {
    const row = byRequest.get(id)?.[0]
    return !row || (Number(row.status) === status && Number(row.input) === input && Number(row.output) === output)
  }

  const hours = createTotals()
  const days = createTotals()
  for (const row of rows) {
    const at = Number(row.at)
    const own = DIMENSIONS.map((name) => row[name]).join(' ')
    hours.add(`${Math.floor(at / HOUR) * HOUR} ${own}`, { ...row, requests: 1 })
    days.add(`${new Date(at).toISOString().slice(0, 10)} ${own}`, { ...row, requests: 1 })
  }
  const fields = [...DIMENSIONS, ...SUMS] as const
  for (const sum of await db
    .selectFrom('usage_hours')
    .select(['hour', ...fields])
    .execute())
    hours.take(`${sum.hour} ${DIMENSIONS.map((name) => sum[name]).join(' ')}`, sum)
  for (const sum of await db
    .selectFrom('usage_days')
    .select(['day', ...fields])
    .execute())
    days.take(`${sum.day} ${DIMENSIONS.map((name) => sum[name]).join(' ')}`, sum)
  return {
    missing: served.filter(({ id }) => !byRequest.has(id)).map(({ id }) => id),
    doubled: [...byRequest].filter(([, own]) => own.length > 1).map(([id]) => id),
    wrong: [...served.filter((one) => !isRight(one)).map(({ id }) => id), ...problems],
    unbalanced: [...hours.left(), ...days.left()],
  }
}

/** Sums by name: what was added and not taken is left. */
function createTotals() {
  const totals = new Map<string, bigint[]>()
  const change = (name: string, figures: Figures, sign: bigint): void => {
    const before = totals.get(name) ?? SUMS.map(() => 0n)
    totals.set(
      name,
      SUMS.map((sum, index) => (before[index] ?? 0n) + sign * BigInt(Number(figures[sum] ?? 0))),
    )
  }
  return {
    add: (name: string, figures: Figures) => change(name, figures, 1n),
    take: (name: string, figures: Figures) => change(name, figures, -1n),
    left: (): string[] =>
      [...totals].filter(([, sums]) => sums.some(Boolean)).map(([name, sums]) => `${name}: ${sums.join(' ')}`),
  }
}
