import type { Task } from '@headgate/gateway/ports'
import { openConnection } from '../../src/database/connection.ts'
import { placeOf } from '../../src/store.ts'
import { storedTask } from '../../src/tasks/stored.ts'

/** All tasks of a store. */
export async function readTasks(place: { dataDir: string; databaseUrl?: string }): Promise<Task[]> {
  const connection = await openConnection(placeOf(place))
  try {
    return (await connection.db.selectFrom('tasks').selectAll().execute()).map(storedTask)
  } finally {
    await connection.close()
  }
}
