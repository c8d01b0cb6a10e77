import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { accounts } from './accounts.ts'
import { answers } from './answers.ts'
import { held } from './held.ts'
import { keyDays } from './key-days.ts'
import { ledger } from './ledger.ts'
import { limits } from './limits.ts'
import { playground } from './playground.ts'
import { rights } from './rights.ts'
import { tasks } from './tasks.ts'

/** The version that the program before this package brought SQLite to. */
export const EARLIER = 4

/** What turned the store from each version to the next, by name. Only ever append. `zone` is the organisation's. */
export function migrationsOf(connection: Connection, zone: string): Readonly<Record<string, Migration>> {
  return {
    '0001-ledger': ledger(connection, zone),
    '0002-tasks': tasks(connection.kind),
    '0003-limits': limits(connection.kind),
    '0004-accounts': accounts(connection.kind),
    '0005-playground': playground(connection.kind),
    '0006-answers': answers(connection.kind),
    '0007-key-days': keyDays(connection.kind),
    '0008-held': held(connection.kind),
    '0009-rights': rights(connection.kind),
  }
}
