import { readFileSync } from 'node:fs'
import type { FoundAdapter } from './adapter.ts'
import type { Environment } from './environment.ts'
import { nearestPackage, readManifest } from './manifest.ts'

/** A package of Headgate that is not installed, although the environment has a key for it. */
export interface MissingPackage {
  readonly name: string
  readonly kind: 'provider' | 'search'
  readonly id: string
  /** The variable that is set. */
  readonly variable: string
}

/** Packages of Headgate's adapters, and the variables of their keys. `pnpm check --write` derives them. */
const published: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).headgate.published

/** Whether Headgate publishes a package. */
export function isPublished(name: string): boolean {
  return Object.hasOwn(published, name)
}

/** The packages for whose keys the environment has a value, without those that are installed. */
export function missingPackages(adapters: readonly FoundAdapter[], environment: Environment): MissingPackage[] {
  return Object.entries(published).flatMap(([name, variables]): MissingPackage[] => {
    const [, kind, id = ''] = /^@headgate\/(provider|search)-(.+)$/.exec(name) ?? []
    const variable = variables.split(' ').find((one) => environment[one])
    if (variable === undefined || (kind !== 'provider' && kind !== 'search')) return []
    const isInstalled = adapters.some((one) => one.id === id && one.package.kind === kind)
    return isInstalled ? [] : [{ name, kind, id, variable }]
  })
}

/**
 * The command that installs packages: `groq (GROQ_API_KEY set): npm install …`. In a folder whose package.json does not
 * name the program it installs and starts the program as well. Undefined without packages.
 */
export function installCommand(missing: readonly MissingPackage[], folder: string): string | undefined {
  if (missing.length === 0) return undefined
  const names = missing.map(({ id, kind, variable }) => `${id}${kind === 'search' ? ' search' : ''} (${variable} set)`)
  const packages = missing.map(({ name }) => name).join(' ')
  const project = nearestPackage(folder)
  const hasProgram = project !== undefined && readManifest(project)?.dependencies?.['headgate'] !== undefined
  const command = hasProgram
    ? `npm install ${packages}`
    : `npm install headgate ${packages} && npx --no-install headgate`
  return `${names.join(', ')}: ${command}`
}
