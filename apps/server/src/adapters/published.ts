import type { Surroundings } from '../config/settings.ts'
import type { Environment } from '../config/substitution.ts'
import type { FoundAdapter } from './adapter.ts'
import { nearestPackage, readManifest } from './package.ts'
// Written by `pnpm generate-docs`: packages, and the variables with which each is used; those of one entry, with spaces
// between, together.
import published from './published.json' with { type: 'json' }

/** A package of which nothing of its kind and id is installed. */
interface Installable {
  readonly name: string
  readonly kind: string
  readonly id: string
  /** What is set of its variables. */
  readonly variables: readonly string[]
}

/** The published package of a provider whose id is one of these. */
export function providerPackage(ids: readonly string[]): string | undefined {
  return ids.map((id) => `@headgate/provider-${id}`).find((name) => Object.hasOwn(published, name))
}

/**
 * The packages of Headgate that would be used if they were installed, as the environment has what they need, and the
 * command that installs them: `groq (GROQ_API_KEY set): npm install …`. With the program where the folder has none yet.
 * Undefined = there is none.
 */
export function installableText(
  adapters: readonly FoundAdapter[],
  { folder, environment }: Surroundings,
): string | undefined {
  const found = findInstallable(adapters, environment)
  if (found.length === 0) return undefined
  const names = found.map(
    ({ id, kind, variables }) => `${id}${kind === 'search' ? ' search' : ''} (${variables.join(' and ')} set)`,
  )
  const packages = found.map(({ name }) => name).join(' ')
  const project = nearestPackage(folder)
  const hasProgram = project !== undefined && readManifest(project)?.dependencies?.['headgate'] !== undefined
  const command = hasProgram
    ? `npm install ${packages}`
    : `npm install headgate ${packages} && npx --no-install headgate`
  return `${names.join(', ')}: ${command}`
}

function findInstallable(adapters: readonly FoundAdapter[], environment: Environment): Installable[] {
  return Object.entries<readonly string[]>(published).flatMap(([name, ways]) => {
    const [, kind = '', id = ''] = /^@headgate\/(provider|search)-(.+)$/.exec(name) ?? []
    const way = ways
      .map((one) => one.split(' '))
      .find((variables) => variables.every((variable) => environment[variable]))
    const isThere = adapters.some((one) => one.id === id && one.package.kind === kind)
    return way && !isThere ? [{ name, kind, id, variables: way }] : []
  })
}
