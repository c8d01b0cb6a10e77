import { onTestFinished } from 'vitest'
import { openStore, type Store } from '../../src/store.ts'
import { temporaryDatabase, temporaryFolder } from './stores.ts'

/** Three processes of one store, each with threads of its own. */
export async function openThree(databaseUrl?: string): Promise<readonly [Store, Store, Store]> {
  const shared = temporaryFolder()
  const open = async (): Promise<Store> => {
    const dataDir = databaseUrl === undefined ? shared : temporaryFolder()
    const store = await openStore({ dataDir, onProblem: () => {}, ...(databaseUrl !== undefined && { databaseUrl }) })
    onTestFinished(() => store.close())
    return store
  }
  return [await open(), await open(), await open()]
}

export const places: readonly { readonly name: string; readonly url: () => Promise<string | undefined> }[] = [
  { name: 'SQLite', url: async () => undefined },
  ...(process.env['TEST_DATABASE_URL'] ? [{ name: 'Postgres', url: temporaryDatabase }] : []),
]
