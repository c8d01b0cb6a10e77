import { createTaskStore } from '../../src/tasks/tasks.ts'
import { describeStores, stores } from '../support/stores.ts'
import { describeRaces, describeTasks } from './suite.ts'

describeStores(stores(), '$name', ({ name, open, openTwice }) => {
  const isSqlite = name === 'SQLite'
  describeTasks(name, async () => createTaskStore(await open()), { runs: isSqlite ? 20 : 8 })
  if (openTwice)
    describeRaces(`two connections to ${name}`, async () => {
      const [one, other] = await openTwice()
      return [createTaskStore(one), createTaskStore(other)]
    })
})
