import { HeadgateError, object } from '@headgate/gateway/ports'
import type { StoreConnection } from './connection.ts'
import { readSettings, writeSetting } from './settings.ts'
import { runSql, type WriteTransaction } from './transaction.ts'
import { dayAt, hourAt } from './zone.ts'

/** Time zones of daily sums: one, or two while days move from one to the other. */
export interface DayZones {
  readonly zone: string
  /** Previous zone: hours that begin before `until` still belong to its days. */
  readonly before?: { readonly zone: string; readonly until: number }
}

/** Undefined if the store has no time zone yet. */
export async function readDayZones(connection: StoreConnection, trx: WriteTransaction): Promise<DayZones | undefined> {
  const { zone, zone_before } = await readSettings({ ...connection, db: trx }, ['zone', 'zone_before'])
  if (zone === undefined) return undefined
  const before = object(JSON.parse(zone_before ?? 'null'))
  if (!before) return { zone }
  if (typeof before['zone'] !== 'string' || typeof before['until'] !== 'number')
    throw new HeadgateError('internal', 'The setting `zone_before` of the store is damaged.')
  return { zone, before: { zone: before['zone'], until: before['until'] } }
}

export async function writeDayZones(trx: WriteTransaction, { zone, before }: DayZones): Promise<void> {
  await writeSetting(trx, 'zone', zone)
  if (before) await writeSetting(trx, 'zone_before', JSON.stringify(before))
  else await trx.deleteFrom('settings').where('name', '=', 'zone_before').execute()
}

/** Sets the zone of a store without one. Resolves with its zones. */
export async function keepZone(connection: StoreConnection, trx: WriteTransaction, zone: string): Promise<DayZones> {
  await trx
    .insertInto('settings')
    .values({ name: 'zone', value: zone })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readDayZones(connection, trx)) ?? { zone }
}

/**
 * Locks days: they cannot move while a transaction writes sums, and no sums are written while days move. SQLite has a
 * single writer anyway. Call it before any read, since a Postgres statement sees the state at its start.
 */
export async function lockDays(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  forWhat: 'sums' | 'moves',
): Promise<void> {
  if (kind === 'postgres')
    await runSql(trx, `SELECT pg_advisory_xact_lock${forWhat === 'sums' ? '_shared' : ''}(hashtext('headgate.days'))`)
}

/** Date of the day that an instant is summed in. */
export function dateOf({ zone, before }: DayZones, at: number): string {
  return dayAt(before && hourAt(at) < before.until ? before.zone : zone, at).date
}
