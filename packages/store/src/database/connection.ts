import type { Place } from './place.ts'
import { openPostgres, type PostgresConnection } from './postgres.ts'
import { openSqlite, type SqliteConnection } from './sqlite.ts'
import { unusable } from './unusable.ts'

/** An open store. Belongs to one thread, and never to the main one: SQLite answers at once, and its thread waits. */
export type Connection = SqliteConnection | PostgresConnection

/** Opens a store, as it is: `migrate` comes next. @throws HeadgateError `invalid-request` that says what to do. */
export async function openConnection(place: Place): Promise<Connection> {
  if ('url' in place) return openPostgres(place.url)
  try {
    return openSqlite(place.file)
  } catch (error) {
    throw unusable(place, error)
  }
}
