import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentSource } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway/ports'
import type { AdapterFactory } from './adapter.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

type AdapterVariables = Pick<AdapterFactory<unknown>, 'env'>

/** Source of a field's value. */
interface FieldSource {
  /** Name of a variable, or path of a default file. */
  readonly by: string
  value(): string
}

/** First source of a field that is set and not empty, else the first existing default file. */
function givenOf(sources: readonly EnvironmentSource[], environment: Environment): FieldSource | undefined {
  for (const source of sources) {
    const name = typeof source === 'string' ? source : source.file
    const set = environment[name]
    if (set) return { by: name, value: () => (typeof source === 'string' ? set : textOf(set, `${name} names`)) }
  }
  for (const source of sources) {
    const path = typeof source === 'string' ? undefined : source.default
    const file = path === undefined ? undefined : fileAt(path, environment)
    if (path !== undefined && file !== undefined) return { by: path, value: () => textOf(file, `${path} is`) }
  }
  return undefined
}

/** Fields of an adapter's configuration from the environment. @throws HeadgateError for a file that cannot be read. */
export function environmentConfig({ env }: AdapterVariables, environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([field, sources]) => {
      const given = givenOf(sources, environment)
      return given ? [[field, given.value()]] : []
    }),
  )
}

/** Variables and default files that set fields. */
export function variablesSet({ env }: AdapterVariables, environment: Environment): string[] {
  return Object.values(env).flatMap((sources) => givenOf(sources, environment)?.by ?? [])
}

/** True if any variable of the adapter is set, valid or not. */
export function isAnySet(adapter: AdapterVariables, environment: Environment): boolean {
  return variableNames(adapter).some((name) => Boolean(environment[name]))
}

/** True if the environment sets the field. */
export function isGiven({ env }: AdapterVariables, field: string, environment: Environment): boolean {
  return givenOf(env[field] ?? [], environment) !== undefined
}

/** All variables of an adapter. */
export function variableNames({ env }: AdapterVariables): string[] {
  return [
    ...new Set(
      Object.values(env).flatMap((sources) =>
        sources.map((source) => (typeof source === 'string' ? source : source.file)),
      ),
    ),
  ]
}

/** Sources of a field as text: `A or B`, `A (names a file; else ~/.b)`. */
export function variablesOf({ env }: AdapterVariables, field: string): string | undefined {
  return env[field]?.map(described).join(' or ')
}

/** Variable whose value can be used in the configuration. Variables that name a file cannot. */
export function variableToWrite({ env }: AdapterVariables, field: string): string | undefined {
  return env[field]?.find((source) => typeof source === 'string')
}

function described(source: EnvironmentSource): string {
  if (typeof source === 'string') return source
  return `${source.file} (names a file${source.default === undefined ? '' : `; else ${source.default}`})`
}

/** Maximum size of a credentials file in bytes. */
const MOST_BYTES = 1024 * 1024

/** File of a path that may begin with `~/`; undefined if it does not exist. */
function fileAt(path: string, environment: Environment): string | undefined {
  const file = path.startsWith('~/') ? join(environment['HOME'] || homedir(), path.slice(2)) : path
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * Trimmed content of a file. @param what subject of the error message. @throws HeadgateError, which never contains the
 * content.
 */
function textOf(file: string, what: string): string {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw unusable(what, 'something that is not a file')
    if (found.size > MOST_BYTES)
      throw unusable(what, `a file of ${found.size} bytes; at most ${MOST_BYTES} are allowed`)
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') throw unusable(what, 'an empty file')
    return text
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw unusable(what, `a file that cannot be read${code}`)
  }
}

function unusable(what: string, why: string): HeadgateError {
  return new HeadgateError('invalid-request', `The environment: ${what} ${why}.`)
}
