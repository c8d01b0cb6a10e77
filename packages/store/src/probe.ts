import { existsSync } from 'node:fs'
import { openConnection } from './database/connection.ts'
import { checkStore } from './database/migrate.ts'
import { unusable } from './database/unusable.ts'
import { locationOf, type StoreOptions } from './store.ts'

/**
 * Checks that this program can use a store, without changing it. A missing SQLite file is created by the first start.
 * @throws HeadgateError with the reason
 */
export async function probeStore(options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const place = locationOf(options)
  if ('file' in place && !existsSync(place.file)) return
  const connection = await openConnection(place)
  try {
    await checkStore(connection)
  } catch (error) {
    throw unusable(place, error)
  } finally {
    await connection.close()
  }
}
