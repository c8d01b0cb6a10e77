import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentSource } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Adapter } from './adapter.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

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

/** Most bytes of a file that stands for a field. */
const MOST_BYTES = 1024 * 1024

/** The file of a path that begins with `~/`, where there is one. */
function fileAt(path: string, environment: Environment): string | undefined {
  const file = path.startsWith('~/') ? join(environment['HOME'] || homedir(), path.slice(2)) : path
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * The text of a file, without space around it. `what` says in an error which file it is. @throws HeadgateError, which
 * never holds the text.
 */
function textOf(file: string, what: string): string {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw unusable(what, 'something that is no file')
    if (found.size > MOST_BYTES) throw unusable(what, `a file of ${found.size} bytes; at most ${MOST_BYTES} are read`)
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') throw unusable(what, 'an empty file')
    return text
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw unusable(what, `a file that can not be read${code}`)
  }
}

function unusable(what: string, why: string): HeadgateError {
  return new HeadgateError('invalid-request', `The environment: ${what} ${why}.`)
}
