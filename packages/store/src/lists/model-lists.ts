import type { ListStore } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'

/** Model lists of providers, so that a start without network access knows them. */
export function createListStore({ db }: StoreConnection, now: () => number = Date.now): ListStore {
  return {
    read: async (provider) => {
      const row = await db
        .selectFrom('model_lists')
        .select('models')
        .where('provider', '=', provider)
        .executeTakeFirst()
      return row && JSON.parse(row.models)
    },
    write: async (provider, models) => {
      const values = { models: storable(JSON.stringify(models)), read_at: now() }
      await db
        .insertInto('model_lists')
        .values({ provider, ...values })
        .onConflict((conflict) => conflict.column('provider').doUpdateSet(values))
        .execute()
    },
  }
}
