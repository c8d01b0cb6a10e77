import type { StoreConnection } from '../database/connection.ts'
import { readDayZones } from '../database/day-zones.ts'
import { readSetting } from '../database/settings.ts'
import { sumOf } from '../database/sum.ts'
import { runSql, type WriteTransaction } from '../database/transaction.ts'
import { dayAt, hourAt } from '../database/zone.ts'
import { NAMED_DAYS } from '../schema/tables.ts'
import { FAILED_ROLL_UPS, FAILED_STATUS, MEASURES } from '../schema/usage.ts'
import { IS_TAGGED, taggedRows } from '../usage/move-tag-days.ts'
import { rowSums } from '../usage/row-sums.ts'
import { amountsOf, DIFFERS, type WindowAmounts } from './budget-amounts.ts'
import { differences, MOST, type PeriodSums, type SqlReader, sums } from './differences.ts'
import type { StoreFinding } from './finding.ts'
import { firstBytesDiffer } from './first-bytes-differ.ts'
import { upstreamsDiffer } from './upstreams-differ.ts'

export interface CheckOptions {
  /** Time zone of days if the store has none; default `UTC`. */
  readonly zone?: string
}

/** Time limit of a Postgres statement of a check, in milliseconds. */
const PATIENCE = 3_600_000

/**
 * Checks a snapshot of the whole store without changing it. It reads every row, so run it from a command, not for a
 * request.
 */
export async function check(connection: StoreConnection, { zone = 'UTC' }: CheckOptions = {}): Promise<StoreFinding[]> {
  return reading(connection, async (trx) => {
    const damage = connection.kind === 'sqlite' ? await damaged(trx) : []
    const from = Number((await readSetting({ ...connection, db: trx }, 'usage_from')) ?? 0)
    const zones = await readDayZones(connection, trx)
    return [
      ...damage,
      ...(await hoursDiffer(connection, trx, from)),
      ...(zones?.before ? [moving(zones.zone)] : await daysDiffer(connection, trx, from, zones?.zone ?? zone)),
      ...(await upstreamsDiffer(connection, trx, from)),
      ...(await firstBytesDiffer(connection, trx, from)),
      ...(await attemptsAlone(trx)),
      ...(await budgetsDiffer(connection, trx, from)),
    ]
  })
}

/** Runs a function on a snapshot that blocks no writer. */
function reading<Result>(
  { kind, db }: StoreConnection,
  read: (trx: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  if (kind === 'postgres')
    return db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        await runSql(trx, `SET LOCAL statement_timeout = ${PATIENCE}`)
        return read(trx)
      })
  return db.connection().execute(async (one) => {
    await runSql(one, 'BEGIN DEFERRED')
    try {
      return await read(one as WriteTransaction)
    } finally {
      await runSql(one, 'ROLLBACK')
    }
  })
}

function moving(zone: string): StoreFinding {
  const message = `Daily sums are moving to the time zone ${zone} and were not compared. Check again after a gateway has run for some minutes.`
  return { kind: 'days-move', level: 'remark', message, details: { zone } }
}

async function damaged(trx: SqlReader): Promise<StoreFinding[]> {
  const rows = await runSql(trx, `PRAGMA integrity_check(${MOST})`)
  const texts = rows.map((row) => String(Object(row).integrity_check)).filter((text) => text !== 'ok')
  return texts.map((text) => ({
    kind: 'damaged',
    level: 'fault',
    message: `The database is damaged: ${text}`,
    details: {},
  }))
}

async function hoursDiffer({ kind }: StoreConnection, trx: SqlReader, from: number): Promise<StoreFinding[]> {
  const [least, greatest] = kind === 'sqlite' ? ['min', 'max'] : ['least', 'greatest']
  const hour = `${least}(${greatest}(u.at, 0), ${hourAt(Number.POSITIVE_INFINITY)}) / 3600000 * 3600000`
  const covered = from > 0 ? `AND u.at >= ${from}` : ''
  const findings: StoreFinding[] = []
  for (const [table, source, which] of [
    ['usage_hours', 'usage AS u', '1 = 1'],
    ['usage_tag_hours', taggedRows(kind), IS_TAGGED],
  ] as const) {
    const rows = await sums(
      trx,
      `SELECT ${hour} AS period, ${rowSums(kind, 'u')} FROM ${source} WHERE ${which} ${covered} GROUP BY 1`,
    )
    const rollUps = await sums(
      trx,
      `SELECT hour AS period, ${rollUpSums(kind)} FROM ${table} WHERE hour >= ${hourAt(from)} GROUP BY hour`,
    )
    findings.push(
      ...differences({
        rows,
        rollUps,
        table,
        measures: MEASURES,
        name: (at) => `the hour from ${timeText(Number(at))}`,
      }),
    )
  }
  return findings
}

async function daysDiffer(
  { kind }: StoreConnection,
  trx: SqlReader,
  from: number,
  zone: string,
): Promise<StoreFinding[]> {
  // First day with complete rows.
  const first = from > 0 ? dayAt(zone, from - 1).end : undefined
  const rows = new Map<string, PeriodSums>()
  const tagged = new Map<string, PeriodSums>()
  for (let at = await firstFrom(trx, first); at !== null; ) {
    const { date, end } = dayAt(zone, Number(at))
    const isLast = end > hourAt(Number.POSITIVE_INFINITY)
    const within = `u.at >= ${at} ${isLast ? '' : `AND u.at < ${end}`}`
    const failed = `sum(CASE WHEN ${FAILED_STATUS} THEN 1 ELSE 0 END) AS failed`
    const [own] = await sums(
      trx,
      `SELECT '${date}' AS period, ${rowSums(kind, 'u')}, ${failed} FROM usage AS u WHERE ${within}`,
    )
    if (own) rows.set(...own)
    const ofTags = `SELECT '${date}' AS period, ${rowSums(kind, 'u')} FROM ${taggedRows(kind)} WHERE ${IS_TAGGED} AND ${within}`
    for (const [period, sum] of await sums(trx, ofTags)) tagged.set(period, sum)
    at = isLast ? null : await firstFrom(trx, end)
  }
  const findings: StoreFinding[] = []
  for (const table of NAMED_DAYS) {
    const measures = FAILED_ROLL_UPS.some((one) => one === table) ? [...MEASURES, 'failed'] : MEASURES
    const days = await sums(trx, `SELECT day AS period, ${rollUpSums(kind, measures)} FROM ${table} GROUP BY day`)
    const covered = new Map([...days].filter(([day]) => first === undefined || day >= dayAt(zone, first).date))
    const known = table === 'usage_tag_days' ? tagged : rows
    findings.push(...differences({ rows: known, rollUps: covered, table, measures, name: (day) => day }))
  }
  return findings
}

/** Start of the first row at or after an instant; null if there are no rows. */
async function firstFrom(trx: SqlReader, at: number | undefined): Promise<bigint | null> {
  const [row] = await runSql(trx, `SELECT min(at) AS at FROM usage ${at === undefined ? '' : `WHERE at >= ${at}`}`)
  return Object(row).at
}

async function attemptsAlone(trx: SqlReader): Promise<StoreFinding[]> {
  const [row] = await runSql(
    trx,
    'SELECT count(*) AS count FROM usage_attempts AS a WHERE NOT EXISTS (SELECT 1 FROM usage AS u WHERE u.at = a.at AND u.id = a.usage_id)',
  )
  const count = String(Object(row).count)
  if (count === '0') return []
  const message = `${count} upstream calls belong to requests without a usage row`
  return [{ kind: 'attempts-alone', level: 'remark', message, details: { count } }]
}

/** Checks windows with complete rows, and leases of all windows. */
async function budgetsDiffer({ kind }: StoreConnection, trx: SqlReader, from: number): Promise<StoreFinding[]> {
  const query = `SELECT * FROM (${amountsOf(kind, from)}) AS sums WHERE ${DIFFERS} ORDER BY budget, win LIMIT ${MOST}`
  const rows = (await runSql(trx, query)) as WindowAmounts[]
  return rows.map(({ budget, win, spent, counted, leased, left_over, held, held_by_rows }) => ({
    kind: 'budgets-differ',
    level: 'fault',
    message: `Usage rows and leases differ from the spent, held and leased amounts of budget ${budget} in window ${win}. Run \`headgate store rebuild\`.`,
    details: {
      budget,
      window: win,
      spent: `${counted} ≠ ${spent}`,
      leased: `${left_over} ≠ ${leased}`,
      held: `${held_by_rows} ≠ ${held}`,
    },
  }))
}

function rollUpSums(kind: StoreConnection['kind'], measures: readonly string[] = MEASURES): string {
  return measures.map((name) => `${sumOf(kind, name)} AS ${name}`).join(', ')
}

function timeText(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at)
}
