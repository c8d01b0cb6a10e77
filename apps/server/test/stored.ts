import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CommandStore, openCommandStore, type StoredUsage } from '@headgate/store'
import { onTestFinished } from 'vitest'

/** Uses the store of a data directory as a command does. */
export async function withArchive<T>(dataDir: string, use: (archive: CommandStore) => Promise<T>): Promise<T> {
  const archive = await openCommandStore({ dataDir, onProblem: () => {} })
  try {
    return await use(archive)
  } finally {
    await archive.close()
  }
}

/** All rows, newest first, with those that lie in a journal only. */
export function usageIn(dataDir: string): Promise<readonly StoredUsage[]> {
  return withArchive(dataDir, ({ usage }) => usage.page({ limit: 1_000_000 }))
}

/** The file of a store, for what no program does. For the length of one test. */
export function openFile(dataDir: string): DatabaseSync {
  const database = new DatabaseSync(join(dataDir, 'headgate.db'), { timeout: 5_000 })
  onTestFinished(() => database.close())
  return database
}
