import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Installed program that tests use. Folders of administrators and of Go are searched after PATH.
 * @param variable environment variable that names the program; default: none
 */
export function findProgram(name: string, variable?: string): string | undefined {
  const given = variable === undefined ? undefined : process.env[variable]
  if (given) return existsSync(given) ? given : undefined
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', join(homedir(), 'go/bin')]
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}
