import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { configuredBudgets } from '../service/budgets.ts'
import type { Settings } from './settings.ts'

/** Linux file systems whose content ends with the container or machine, by their number. */
const TEMPORARY: ReadonlyMap<number, string> = new Map([
  [0x0102_1994, 'in memory (tmpfs)'],
  [0x794c_7630, 'in the container itself (overlayfs)'],
])

/**
 * Warning about a journal that does not outlive its container, although other nodes share its budgets: the leases of a
 * replaced container count as spent.
 * @param typeOf number of the file system of an existing folder
 */
export function journalWarnings(settings: Settings, typeOf: (folder: string) => number = fileSystemOf): string[] {
  const { config, dataDir, databaseUrl } = settings
  if (databaseUrl === undefined || config.journal === 'postgres' || configuredBudgets(settings).length === 0) return []
  const where = TEMPORARY.get(typeOf(existingFolder(dataDir)))
  if (where === undefined) return []
  return [
    `The data directory ${dataDir} is ${where}. If this node is replaced, the last second of usage rows is lost and its budget leases count as spent. Mount a volume, or set \`journal: "postgres"\`.`,
  ]
}

function fileSystemOf(folder: string): number {
  return statfsSync(folder).type
}

function existingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingFolder(dirname(folder))
}
