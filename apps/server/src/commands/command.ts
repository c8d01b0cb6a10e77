import type { ParseArgsOptionsConfig } from 'node:util'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Flags, Surroundings } from '../config/settings.ts'
import { printableInLine } from '../printable.ts'

/** Parsed flags of a command line. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export interface CommandContext extends Surroundings {
  readonly values: FlagValues
  /** Words after the command's name. */
  readonly words: readonly string[]
  /** Writes to standard output. Control characters are escaped. */
  print(text: string): void
  /** Writes to standard error. Control characters are escaped. */
  note(text: string): void
  /** Writes to standard error without escaping, for output that moves the cursor. */
  draw(text: string): void
}

/** Command of the program. */
export interface Command {
  /** Name, such as `keys create`. */
  readonly name: string
  /** Usage of the words after the name, such as `<id>`. */
  readonly words?: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  /** Resolves when the command is done. A started gateway keeps the process alive. */
  run(context: CommandContext): void | Promise<void>
}

/** Flag of a command. `multiple` allows the flag several times. */
export type Option = ParseArgsOptionsConfig[string] & { readonly help: string; readonly value?: string }

/** Flags shared by several commands. */
export const configOption: Option = { type: 'string', value: 'file', help: 'configuration file (env HEADGATE_CONFIG)' }
export const dataDirOption: Option = {
  type: 'string',
  value: 'folder',
  help: 'data directory (env HEADGATE_DATA_DIR, default .headgate)',
}

const COMMAND_LINE = 'the command line'

/** Error for an invalid command line. */
export function usageError(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param: COMMAND_LINE })
}

/**
 * Exit code: 2 for a mistake on the command line, 1 for a mistake in the configuration or the environment; undefined
 * for a bug of the program.
 */
export function exitCode(error: unknown): 1 | 2 | undefined {
  if (!HeadgateError.is(error)) return undefined
  return error.param === COMMAND_LINE ? 2 : 1
}

export function flagsOf(values: FlagValues): Flags {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  return {
    config: text('config'),
    dataDir: text('data-dir'),
    port: text('port'),
    host: text('host'),
    logLevel: text('log-level'),
    workers: text('workers'),
  }
}

/** Value of a string flag; undefined if absent or empty. */
export function stringFlag({ values }: Pick<CommandContext, 'values'>, flag: string): string | undefined {
  const value = values[flag]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Values of a string flag that can be given several times. */
export function stringFlags({ values }: Pick<CommandContext, 'values'>, flag: string): readonly string[] {
  return [values[flag] ?? []].flat().filter((value) => typeof value === 'string')
}

/** Table of aligned columns. */
export function table(headings: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((cells) => cells.map(printableInLine))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${[headings, ...rows].map(line).join('\n')}\n`
}
