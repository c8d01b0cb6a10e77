import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const FOLDER = join(import.meta.dirname, '../deploy')

/** Service of the Compose file. */
export interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly user?: string
  readonly privileged?: boolean
  readonly stop_grace_period?: string
}

/** Content of the Compose file. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
  readonly volumes: Readonly<Record<string, null>>
}

/**
 * The Compose file of the repository, with values for its variables: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`.
 * @throws TypeError if a required variable is missing
 */
export function readCompose(variables: Readonly<Record<string, string>>): ComposeFile {
  const substituted = (_: string, name: string, kind: string | undefined, rest = ''): string => {
    const value = variables[name]
    if (value !== undefined) return value
    if (kind === '-') return rest
    throw new TypeError(`${name} is not set: ${rest}`)
  }
  const found: unknown = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'))
  return JSON.parse(JSON.stringify(found), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, substituted) : value,
  )
}

/** Absolute path of a file next to the Compose file, as its volumes name it. */
export function composeFile(path: string): string {
  return join(FOLDER, path)
}
