import type { DatabaseSync } from 'node:sqlite'
import type { ListStore } from '@headgate/core'

/** Providers' lists of models, so that a start without the network still knows them. */
export function createListStore(database: DatabaseSync): ListStore {
  const select = database.prepare('SELECT models FROM model_lists WHERE provider = ?')
  const replace = database.prepare('INSERT OR REPLACE INTO model_lists (provider, models, read_at) VALUES (?, ?, ?)')
  return {
    read: async (provider) => {
      const models = select.get(provider)?.['models']
      return typeof models === 'string' ? JSON.parse(models) : undefined
    },
    write: async (provider, models) => {
      replace.run(provider, JSON.stringify(models), Date.now())
    },
  }
}
