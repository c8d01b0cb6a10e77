import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openStore, type Store, type UsagePageQuery } from '../packages/store/src/index.ts'
import { startPostgres } from '../tools/postgres.ts'
import { fillStore } from './filled-store.ts'
import { rowOf, type Slot, trafficSlots } from './traffic.ts'

const ROWS = 10_000_000
const SLOTS = 2 ** 18
/** Rows per second that arrive during the queries. */
const RATE = 500
const ROUNDS = 30
/** Rows per page. */
const LIMIT = 100
/** Maximum milliseconds between two queries. New rows are in the journal meanwhile. */
const PAUSE = 250
/** Interval of the main thread's check, in milliseconds. */
const WATCH = 5
const DAY = 86_400_000

/** Maximum milliseconds of medians, and of the main thread's longest stall. */
const GOALS = { series: 100, page: 50, stall: 20 }

/**
 * Fills stores, and queries them while rows arrive: `pnpm bench store [10000000] [sqlite|postgres]`. Removes the stores
 * afterwards. Times include the ingestion of the journal at the start of each query.
 */
export async function benchStore(args: readonly string[]): Promise<void> {
  const rows = Number(args.find((word) => /^\d+$/.test(word)) ?? ROWS)
  const only = args.find((word) => word === 'sqlite' || word === 'postgres')
  const slots = trafficSlots(SLOTS)
  if (only !== 'postgres') await inFolder((dataDir) => bench({ name: 'SQLite', dataDir }, rows, slots))
  if (only === 'sqlite') return
  const server = await startPostgres()
  if (!server) {
    console.log('Postgres is not installed here.')
    return
  }
  try {
    const databaseUrl = server.database('bench')
    await inFolder((dataDir) => bench({ name: 'Postgres', dataDir, databaseUrl }, rows, slots))
  } finally {
    server.remove()
  }
}

interface Place {
  readonly name: string
  readonly dataDir: string
  readonly databaseUrl?: string
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-store-'))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function bench(place: Place, rows: number, slots: readonly Slot[]): Promise<void> {
  const { name, dataDir, databaseUrl } = place
  const start = performance.now()
  await fillStore(
    databaseUrl === undefined ? { file: join(dataDir, 'headgate.db') } : { url: databaseUrl },
    rows,
    slots,
  )
  console.log(`${name}: ${rows} rows filled in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  const store = await openStore({
    dataDir,
    ...(databaseUrl !== undefined && { databaseUrl }),
    onProblem: (text) => console.log(text),
  })
  const stopSettling = settleSteadily(store, slots)
  try {
    await ask(store, slots)
  } finally {
    console.log(`| rows added per second | | ${stopSettling().toFixed(0)} | | | |`)
    await store.close()
  }
}

/** Starts to add rows. The result stops it and returns the number of rows per second. */
function settleSteadily({ ledger }: Store, slots: readonly Slot[]): () => number {
  const start = performance.now()
  let settled = 0
  const timer = setInterval(() => {
    for (const due = ((performance.now() - start) / 1_000) * RATE; settled < due; settled += 1) {
      const slot = slots[(settled * 7_919) % slots.length]
      if (slot) void ledger.settle(rowOf(slot))
    }
  }, 10)
  return () => {
    clearInterval(timer)
    return settled / ((performance.now() - start) / 1_000)
  }
}

interface Question {
  readonly name: string
  readonly goal?: number
  ask(): Promise<unknown>
}

/** Runs all queries in turn, repeatedly, and monitors the main thread. */
async function ask(store: Store, slots: readonly Slot[]): Promise<void> {
  const questions = questionsOf(store, slots)
  for (const one of questions) await one.ask()
  const times = questions.map((): number[] => [])
  const stopWatching = watchMain()
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, one] of questions.entries()) {
      await wait(Math.random() * PAUSE)
      const start = performance.now()
      await one.ask()
      times[index]?.push(performance.now() - start)
    }
  const { late, busy } = stopWatching()
  console.log('| milliseconds | goal | median | p99 | maximum | |\n| --- | ---: | ---: | ---: | ---: | --- |')
  for (const [index, { name, goal }] of questions.entries()) {
    const sorted = (times[index] ?? []).sort((one, other) => one - other)
    const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
    const median = at(0.5)
    const verdict = goal === undefined ? '' : median <= goal ? 'yes' : 'no'
    console.log(
      `| ${name} | ${goal ?? ''} | ${[median, at(0.99), at(1)].map((time) => time.toFixed(1)).join(' | ')} | ${verdict} |`,
    )
  }
  console.log(
    `| main thread, longest stall | ${GOALS.stall} | | | ${busy.toFixed(1)} | ${busy <= GOALS.stall ? 'yes' : 'no'} |`,
  )
  console.log(`| main thread, including time waiting for a core | | | | ${late.toFixed(1)} | |`)
}

function questionsOf({ usage, ledger }: Store, slots: readonly Slot[]): Question[] {
  const now = Date.now()
  // Sums by key read as many rows as there are combinations with keys. They have no goal.
  const series = (by: 'model' | 'key'): Question => ({
    name: `series of 30 days by ${by}`,
    ...(by === 'model' && { goal: GOALS.series }),
    ask: () => usage.series({ from: now - 30 * DAY, to: now, by, step: 'day' }),
  })
  const ranges = [
    ['of 7 days', { from: now - 7 * DAY, to: now + DAY }],
    ['of 7 days, 3 weeks ago', { from: now - 28 * DAY, to: now - 21 * DAY }],
  ] as const
  const pages = [
    ...filtersOf(slots, ['model', 'provider']),
    ...filtersOf(slots, ['principal', 'model']),
    ...filtersOf(slots, ['status', 'model']),
  ].flatMap(({ name, filters }) =>
    ranges.map(([span, range]): Question => {
      const query: UsagePageQuery = { ...range, ...filters, limit: LIMIT }
      return { name: `page ${span} by ${name}`, goal: GOALS.page, ask: () => usage.page(query) }
    }),
  )
  return [{ name: 'only ingesting the journal', ask: () => ledger.ingest() }, series('model'), series('key'), ...pages]
}

type Filter = 'model' | 'provider' | 'principal' | 'status'

/** The most frequent values of two filters together, some of medium frequency, and the rarest. */
function filtersOf(
  slots: readonly Slot[],
  names: readonly [Filter, Filter],
): { name: string; filters: Partial<UsagePageQuery> }[] {
  const counts = new Map<string, { slot: Slot; count: number }>()
  for (const slot of slots) {
    const key = names.map((name) => slot[name]).join(' ')
    counts.set(key, { slot, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const sorted = [...counts.values()].sort((one, other) => other.count - one.count)
  const picked = { common: sorted[0], middling: sorted[Math.floor(sorted.length / 2)], rare: sorted.at(-1) }
  return Object.entries(picked).flatMap(([how, found]) =>
    found
      ? [
          {
            name: `${names.join(' and ')}, ${how}`,
            filters: Object.fromEntries(names.map((name) => [name, found.slot[name]])),
          },
        ]
      : [],
  )
}

/**
 * Monitors the delay of a timer on this thread. The result stops it and returns the maximum delay and the CPU time
 * during it.
 */
function watchMain(): () => { readonly late: number; readonly busy: number } {
  let late = 0
  let busy = 0
  let last = performance.now()
  let lastSpent = spent()
  const timer = setInterval(() => {
    const [now, nowSpent] = [performance.now(), spent()]
    late = Math.max(late, now - last - WATCH)
    busy = Math.max(busy, Math.min(nowSpent - lastSpent, now - last))
    last = now
    lastSpent = nowSpent
  }, WATCH)
  return () => {
    clearInterval(timer)
    return { late, busy }
  }
}

/** CPU time of the main thread, in milliseconds. */
function spent(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
