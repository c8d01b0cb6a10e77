import { run } from '../../src/database/transaction.ts'
import { createTaskStore } from '../../src/tasks/tasks.ts'
import { describeStores, stores } from '../support/stores.ts'
import { describeRaces, describeTasks } from './suite.ts'

describeStores(stores(), '$name', ({ name, open, openTwice }) => {
  const isSqlite = name === 'SQLite'
  describeTasks(name, async () => createTaskStore(await open()), { runs: isSqlite ? 20 : 8 })
  if (openTwice)
    describeRaces(`two connections to ${name}`, async () => {
      const [one, other] = await openTwice()
      // Both are on this thread: while one waits in vain, the other can not go on.
      if (isSqlite) for (const { db } of [one, other]) await run(db, 'PRAGMA busy_timeout = 10')
      return [createTaskStore(one), createTaskStore(other)]
    })
})
