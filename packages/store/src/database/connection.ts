import type { StoreTables } from '../schema/tables.ts'
import type { StoreLocation } from './location.ts'
import { openPostgres, type PostgresConnection } from './postgres.ts'
import { openSqlite, type SqliteConnection } from './sqlite.ts'
import { unusable } from './unusable.ts'

/**
 * Open store. It belongs to one thread other than the main thread, since SQLite blocks its thread. @typeParam All
 * tables that queries can use
 */
export type StoreConnection<All = StoreTables> = SqliteConnection<All> | PostgresConnection<All>

/** Opens a store without migrating it. @throws HeadgateError `invalid-request` with the reason and what to do */
export async function openConnection<All = StoreTables>(place: StoreLocation): Promise<StoreConnection<All>> {
  if ('url' in place) return openPostgres(place.url, place)
  try {
    return openSqlite(place.file)
  } catch (error) {
    throw unusable(place, error)
  }
}
