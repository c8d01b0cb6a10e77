import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * By which variables a package is used: its name → ways, each of them variables with spaces between that have to be set
 * together.
 */
export type AdapterIndex = Readonly<Record<string, readonly string[]>>

/** What the program reads to say which package would serve what it has a key for. */
export const INDEX = 'apps/server/src/adapters/published.json'

/** Writes the index, unless it is only checked. Whether what was there differs. */
export function writeIndex(root: string, index: AdapterIndex, isCheck = false): boolean {
  const path = join(root, INDEX)
  const text = textOf(index)
  if (readFileSync(path, 'utf8') === text) return false
  if (!isCheck) writeFileSync(path, text)
  return true
}

/** Adds a package that can not be loaded before it is installed. */
export function addVariables(root: string, name: string, ways: readonly string[]): void {
  if (existsSync(join(root, INDEX)))
    writeIndex(root, { ...JSON.parse(readFileSync(join(root, INDEX), 'utf8')), [name]: ways })
}

function textOf(index: AdapterIndex): string {
  const lines = Object.entries(index)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, ways]) => `  ${JSON.stringify(name)}: [${ways.map((way) => JSON.stringify(way)).join(', ')}]`)
  return `{\n${lines.join(',\n')}\n}\n`
}
