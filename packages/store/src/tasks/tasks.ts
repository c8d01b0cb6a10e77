import { HeadgateError, type TaskStore } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact } from '../database/transaction.ts'
import { claimTasks } from './claim.ts'
import { listTasks } from './list.ts'
import { storedTask, taskRow, whole } from './stored.ts'

/** Tasks, shared by all processes of a store. Resolved changes are committed. */
export function createTaskStore(connection: StoreConnection): TaskStore {
  const { db } = connection
  return {
    add: async (task, heldUntil) => {
      const row = { ...taskRow(task), held_until: whole(heldUntil) }
      const { numInsertedOrUpdatedRows } = await transact(connection, (trx) =>
        trx
          .insertInto('tasks')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst(),
      )
      if (numInsertedOrUpdatedRows === 0n)
        throw new HeadgateError('internal', `A task with id ${row.id} exists already.`)
    },
    change: async (task) => {
      const { id, ...row } = taskRow(task)
      const { numUpdatedRows } = await transact(connection, (trx) =>
        trx
          .updateTable('tasks')
          .set({ ...row, held_until: 0n })
          .where('id', '=', id)
          .where('version', '=', row.version - 1n)
          .executeTakeFirst(),
      )
      return numUpdatedRows > 0n
    },
    get: async (id) => {
      const row = await db.selectFrom('tasks').selectAll().where('id', '=', storable(id)).executeTakeFirst()
      return row && storedTask(row)
    },
    list: (query) => listTasks(connection, query),
    claim: (claim) => claimTasks(connection, claim),
    hold: async (id, until) => {
      await transact(connection, (trx) =>
        trx
          .updateTable('tasks')
          .set({ held_until: whole(until) })
          .where('id', '=', storable(id))
          .execute(),
      )
    },
    remove: async (id, version) => {
      const { numDeletedRows } = await transact(connection, (trx) =>
        trx.deleteFrom('tasks').where('id', '=', storable(id)).where('version', '=', whole(version)).executeTakeFirst(),
      )
      return numDeletedRows > 0n
    },
  }
}
