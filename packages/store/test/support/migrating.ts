import { openConnection } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'

/** A process that opens and migrates the store of its argument, once it is told to. */
process.once('message', async () => {
  const connection = await openConnection(JSON.parse(process.argv[2] ?? ''))
  await migrate(connection)
  await connection.close()
  process.disconnect()
})
process.send?.('ready')
