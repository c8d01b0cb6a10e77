import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { openCommandStore } from '../src/command-store.ts'
import { openStore } from '../src/store.ts'
import { temporaryFolder } from './journal/journals.ts'

/** A store with its threads, for the length of one test. */
export async function open(dataDir = temporaryFolder()) {
  const problems: string[] = []
  const store = await openStore({ dataDir, onProblem: (problem) => problems.push(problem) })
  onTestFinished(() => store.close())
  return { dataDir, store, problems }
}

/** A store as a command has it, for the length of one test. */
export async function openForCommand(dataDir = temporaryFolder()) {
  const problems: string[] = []
  const archive = await openCommandStore({ dataDir, onProblem: (problem) => problems.push(problem) })
  onTestFinished(() => archive.close())
  return { dataDir, archive, problems }
}

/** Changes the file of a store behind its back. */
export function damage(dataDir: string, sql: string): void {
  const other = new DatabaseSync(join(dataDir, 'headgate.db'), { timeout: 5_000 })
  other.exec(sql)
  other.close()
}
