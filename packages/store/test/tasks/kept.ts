import type { Task } from '@headgate/gateway/ports'
import { openConnection } from '../../src/database/connection.ts'
import { locationOf } from '../../src/store.ts'
import { storedTask } from '../../src/tasks/stored.ts'

/** All tasks of a store. */
export async function readTasks(place: { dataDir: string; databaseUrl?: string }): Promise<Task[]> {
  const connection = await openConnection(locationOf(place))
  try {
    return (await connection.db.selectFrom('tasks').selectAll().execute()).map(storedTask)
  } finally {
    await connection.close()
  }
}
