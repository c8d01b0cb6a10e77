import type { EnvironmentSource } from '@headgate/core/provider'
import type { Environment } from '../config/substitution.ts'
import type { Adapter } from './adapter.ts'
import { fileAt, textOf } from './environment-file.ts'

type Variables = Pick<Adapter<unknown>, 'env'>

/** What gives a field. */
interface Given {
  /** A variable, or the path of a file that is there without one. */
  readonly by: string
  value(): string
}

/** Of a field's sources the first that is set and not empty, else the first file of a `default` that exists. */
function givenOf(sources: readonly EnvironmentSource[], environment: Environment): Given | undefined {
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

/**
 * The fields of an adapter's configuration that the environment gives. @throws HeadgateError for a file that can not be
 * read.
 */
export function environmentConfig({ env }: Variables, environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([field, sources]) => {
      const given = givenOf(sources, environment)
      return given ? [[field, given.value()]] : []
    }),
  )
}

/** The variables that gave these fields, and the files that did without one. */
export function variablesSet({ env }: Variables, environment: Environment): string[] {
  return Object.values(env).flatMap((sources) => givenOf(sources, environment)?.by ?? [])
}

/** Whether a variable that an adapter reads is set, whatever it is good for. */
export function isAnySet(adapter: Variables, environment: Environment): boolean {
  return variableNames(adapter).some((name) => Boolean(environment[name]))
}

/** Whether the environment gives a field. */
export function isGiven({ env }: Variables, field: string, environment: Environment): boolean {
  return givenOf(env[field] ?? [], environment) !== undefined
}

/** All variables that an adapter reads. */
export function variableNames({ env }: Variables): string[] {
  return [
    ...new Set(
      Object.values(env).flatMap((sources) =>
        sources.map((source) => (typeof source === 'string' ? source : source.file)),
      ),
    ),
  ]
}

/** What may give a field: `A or B`, `A (names a file; else ~/.b)`. */
export function variablesOf({ env }: Variables, field: string): string | undefined {
  return env[field]?.map(described).join(' or ')
}

/** The variable by which the configuration can give a field: what names a file is not the field's value. */
export function variableToWrite({ env }: Variables, field: string): string | undefined {
  return env[field]?.find((source) => typeof source === 'string')
}

function described(source: EnvironmentSource): string {
  if (typeof source === 'string') return source
  return `${source.file} (names a file${source.default === undefined ? '' : `; else ${source.default}`})`
}
