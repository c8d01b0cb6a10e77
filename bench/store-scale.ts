import { openConnection, type StoreConnection } from '../packages/store/src/database/connection.ts'
import { migrate } from '../packages/store/src/database/migrate.ts'
import {
  attachPartitions,
  daysFrom,
  dropPartitions,
  PARTITIONED,
  partitionsOf,
} from '../packages/store/src/database/partitions.ts'
import { runSql, transact, type WriteTransaction } from '../packages/store/src/database/transaction.ts'
import { dateAt } from '../packages/store/src/database/zone.ts'
import { DIMENSIONS, MEASURES, UNITS } from '../packages/store/src/schema/usage.ts'
import { usageRows } from '../packages/store/src/usage/rows.ts'
import { usageSeries } from '../packages/store/src/usage/series.ts'
import type { SeriesFilters, SeriesQuery, UsageDimension } from '../packages/store/src/usage/series-query.ts'
import { type PostgresServer, startPostgres } from '../tools/postgres.ts'
import { fillKeyDays, prepareStore, rowExpressions } from './filled-store.ts'
import { trafficSlots } from './traffic.ts'

const ROWS = 20_000_000
const DAYS = 31
const DAY = 86_400_000
const HOUR = 3_600_000
const SLOTS = 2 ** 18
const TRAFFIC = { keys: 2_000, models: 60 } as const
const PROJECTS = 100
/** Connections that fill days at a time. */
const FILLING = 2
const ROUNDS = 11
/** Rows per page. */
const LIMIT = 100

/** Maximum milliseconds: a month of sums, sums by two dimensions, a page of rows, a dropped day. */
const GOALS = { month: 50, two: 300, page: 20, drop: 1_000 } as const

/** Server settings for filling; the queries run with the same. */
const SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  maintenance_work_mem: '256MB',
  autovacuum: 'off',
} as const

/**
 * Fills Postgres with 20 million rows of 31 days in partitions of a day, by SQL, and measures queries and the drop of a
 * day: `pnpm bench store-scale [20000000]`. Uses 8 GB in the temporary folder. Exits with 1 if a median exceeds its
 * maximum.
 */
export async function benchStoreScale(args: readonly string[]): Promise<void> {
  const rows = Number(args.find((word) => /^\d+$/.test(word)) ?? ROWS)
  const server = await startPostgres()
  if (!server) {
    console.log('Postgres is not installed here.')
    return
  }
  try {
    await configure(server)
    const connection = await openConnection({ url: server.database('bench'), connections: FILLING })
    try {
      await fill(connection, rows)
      const isWithin = await measureAll(connection)
      if (!isWithin) process.exitCode = 1
    } finally {
      await connection.close()
    }
  } finally {
    server.remove()
  }
}

async function configure(server: PostgresServer): Promise<void> {
  const connection = await openConnection({ url: server.url })
  try {
    for (const [name, value] of Object.entries(SETTINGS))
      await runSql(connection.db, `ALTER SYSTEM SET ${name} = '${value}'`)
  } finally {
    await connection.close()
  }
  server.stop()
  server.start()
}

async function fill(connection: StoreConnection, rows: number): Promise<void> {
  const start = performance.now()
  await migrate(connection)
  const first = Math.floor(Date.now() / DAY) * DAY - (DAYS - 1) * DAY
  await transact(connection, async (trx) => {
    // A new store has partitions of months.
    for (const table of PARTITIONED)
      for (const { name } of await partitionsOf({ db: trx }, table)) await runSql(trx, `DROP TABLE ${name}`)
    await attachPartitions(trx, daysFrom(first, DAYS + 2))
  })
  await prepareStore(connection, trafficSlots(SLOTS, TRAFFIC), { projects: PROJECTS })
  const days = Array.from({ length: DAYS }, (_, day) => day)
  const fillNext = async (): Promise<void> => {
    for (let day = days.shift(); day !== undefined; day = days.shift()) {
      const [from = 0, to = 0] = [0, 1].map((next) => Math.floor((rows * (Number(day) + next)) / DAYS))
      const at = first + day * DAY
      await transact(connection, (trx) => fillDay(trx, { start: at, from, to }))
    }
  }
  await Promise.all(Array.from({ length: FILLING }, fillNext))
  await connection.db.connection().execute(async (db) => {
    await runSql(db, 'SET statement_timeout = 0')
    await runSql(db, `UPDATE usage_groups SET last_at = ${first + DAYS * DAY - HOUR}`)
    await runSql(db, 'VACUUM ANALYZE')
  })
  const [size] = await runSql(connection.db, 'SELECT pg_database_size(current_database()) AS bytes')
  const seconds = ((performance.now() - start) / 1_000).toFixed(0)
  console.log(`${rows} rows filled in ${seconds} s, ${(Number(Object(size).bytes) / 1e9).toFixed(1)} GB\n`)
}

interface FilledDay {
  readonly start: number
  /** Numbers of its rows. */
  readonly from: number
  readonly to: number
}

/** Rows of a day, and their sums by hour and day. */
async function fillDay(trx: WriteTransaction, { start, from, to }: FilledDay): Promise<void> {
  await runSql(trx, 'SET LOCAL statement_timeout = 0')
  const values = rowExpressions('postgres')
  const at = `${start} + (i - ${from}) * ${DAY}::int8 / ${Math.max(1, to - from)}`
  await runSql(
    trx,
    `INSERT INTO usage (${Object.keys(values).join(', ')}) SELECT ${Object.values(values).join(', ')} FROM (
       SELECT i, ${at} AS at, s.* FROM generate_series(${from}::int8, ${to - 1}::int8) AS i
       JOIN bench_slots AS s ON s.slot = i * 2654435761 % 4294967296 / ${2 ** 32 / SLOTS}) AS one`,
  )
  const sums = MEASURES.map((name) => {
    if (name === 'requests') return 'count(*)'
    if (name === 'unpriced') return 'count(*) - count(cost)'
    if (name === 'usage_unknown') return "count(*) FILTER (WHERE cost IS NULL AND why <> 'price-unknown')"
    return UNITS.some((unit) => unit === name) ? '0' : `coalesce(sum(${name}), 0)`
  })
  const all = DIMENSIONS.join(', ')
  await runSql(
    trx,
    `INSERT INTO usage_hours (hour, ${all}, ${MEASURES.join(', ')})
      SELECT at / ${HOUR} * ${HOUR}, ${all}, ${sums.join(', ')} FROM usage WHERE at >= ${start} AND at < ${start + DAY} GROUP BY 1, ${all}`,
  )
  await sumDay(trx, dateAt('UTC', start), `usage_hours WHERE hour >= ${start} AND hour < ${start + DAY}`)
}

/** Daily sums, from the widest to the narrowest. */
async function sumDay(trx: WriteTransaction, date: string, hours: string): Promise<void> {
  const rollUps = {
    usage_days: { of: DIMENSIONS, source: hours },
    usage_model_days: { of: ['provider', 'model', 'family', 'status'], source: `usage_days WHERE day = '${date}'` },
    usage_key_status_days: { of: ['principal', 'family', 'status'], source: `usage_days WHERE day = '${date}'` },
  }
  for (const [table, { of, source }] of Object.entries(rollUps))
    await runSql(
      trx,
      `INSERT INTO ${table} (day, ${of.join(', ')}, ${MEASURES.join(', ')})
        SELECT '${date}', ${of.join(', ')}, ${MEASURES.map((name) => `sum(${name})`).join(', ')} FROM ${source} GROUP BY ${of.join(', ')}`,
    )
  await fillKeyDays(trx, date)
}

interface Measurement {
  readonly name: string
  readonly goal: number
  run(): Promise<unknown>
}

/** Prints medians. Resolves with true if all are within their goals. */
async function measureAll(connection: StoreConnection): Promise<boolean> {
  console.log('| milliseconds | goal | median | maximum | |\n| --- | ---: | ---: | ---: | --- |')
  let isWithin = true
  for (const { name, goal, run } of measurementsOf(connection)) {
    await run()
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now()
      await run()
      times.push(performance.now() - start)
    }
    isWithin = print(name, goal, times) && isWithin
  }
  const [oldest] = await partitionsOf(connection, 'usage')
  const start = performance.now()
  const { names } = await dropPartitions(connection, oldest?.end ?? 0)
  return print(`a dropped day (${names.join(', ')})`, GOALS.drop, [performance.now() - start]) && isWithin
}

function print(name: string, goal: number, times: number[]): boolean {
  const sorted = times.sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const verdict = median <= goal ? 'yes' : 'no'
  console.log(`| ${name} | ${goal} | ${median.toFixed(1)} | ${(sorted.at(-1) ?? 0).toFixed(1)} | ${verdict} |`)
  return median <= goal
}

function measurementsOf(connection: StoreConnection): Measurement[] {
  const now = Date.now()
  const month = { from: now - 30 * DAY, to: now, step: 'day' } as const
  const series = (goal: number, by: readonly UsageDimension[], more: Partial<SeriesQuery> = {}): Measurement => ({
    name: `a month by ${by.join(' and ')}${more.top ? `, top ${more.top}` : ''}${more.filters ? ' of a project' : ''}`,
    goal,
    run: () => usageSeries(connection, { ...month, by, ...more }),
  })
  const filters: SeriesFilters = { project: 'prj_3' }
  const page = (name: string, query: object): Measurement => ({
    name: `a page of rows ${name}`,
    goal: GOALS.page,
    run: () => usageRows(connection, { from: now - 7 * DAY, to: now + DAY, limit: LIMIT, ...query }),
  })
  return [
    series(GOALS.month, ['model']),
    series(GOALS.month, ['provider']),
    series(GOALS.month, ['project'], { top: 10 }),
    series(GOALS.month, ['member'], { top: 10 }),
    series(GOALS.month, ['key'], { top: 10 }),
    series(GOALS.two, ['model', 'status']),
    series(GOALS.two, ['project', 'member'], { top: 10 }),
    series(GOALS.two, ['project', 'model'], { top: 10 }),
    series(GOALS.two, ['project', 'provider'], { top: 10 }),
    series(GOALS.two, ['project', 'status'], { top: 10 }),
    series(GOALS.two, ['member', 'model'], { top: 10 }),
    series(GOALS.two, ['environment', 'model'], { top: 10 }),
    series(GOALS.two, ['key', 'model'], { top: 10 }),
    series(GOALS.two, ['member', 'model'], { top: 10, filters }),
    page('of 7 days', {}),
    page('of a project', { filters }),
    page('of a model', { filters: { model: 'vendor-3/model-3' } }),
    page('with a rare status of a model', { filters: { model: 'vendor-3/model-3', status: 529 } }),
  ]
}
