import type { ParseArgsOptionsConfig } from 'node:util'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Flags, Surroundings } from '../config/settings.ts'
import { printableInLine } from '../printable.ts'

/** Values of the flags of a command line. */
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export interface CommandContext extends Surroundings {
  readonly values: Values
  /** What stands after the command's name. */
  readonly words: readonly string[]
  /** Writes to standard output; what a terminal would obey is escaped. */
  print(text: string): void
  /** Writes to standard error; what a terminal would obey is escaped. */
  note(text: string): void
  /** Writes to standard error as it is: for words of our own that move the cursor. */
  draw(text: string): void
}

/** One thing that the program can be told to do. */
export interface Command {
  /** `keys create`; empty for what happens without a command. */
  readonly name: string
  /** Words after the name. */
  readonly words?: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  /** Returns when it is done, or keeps the process alive. */
  run(context: CommandContext): void | Promise<void>
}

/** `multiple`: it may stand there several times. */
export type Option = ParseArgsOptionsConfig[string] & { readonly help: string; readonly value?: string }

/** Flags that several commands share. */
export const configOption: Option = { type: 'string', value: 'file', help: 'the configuration file (HEADGATE_CONFIG)' }
export const dataDirOption: Option = {
  type: 'string',
  value: 'folder',
  help: 'where the store lies (HEADGATE_DATA_DIR; .headgate)',
}

const COMMAND_LINE = 'the command line'

/** A command line that can not be carried out as it was given. */
export function usageError(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param: COMMAND_LINE })
}

/**
 * 2 for a mistake on the command line, 1 for one in the configuration or around the program; undefined for a bug of the
 * program.
 */
export function exitCode(error: unknown): 1 | 2 | undefined {
  if (!HeadgateError.is(error)) return undefined
  return error.param === COMMAND_LINE ? 2 : 1
}

export function flagsOf(values: Values): Flags {
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

/** The value of a flag that takes a text; undefined where it is absent or empty. */
export function textOf({ values }: Pick<CommandContext, 'values'>, flag: string): string | undefined {
  const value = values[flag]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The values of a flag that may stand there several times. */
export function textsOf({ values }: Pick<CommandContext, 'values'>, flag: string): readonly string[] {
  return [values[flag] ?? []].flat().filter((value) => typeof value === 'string')
}

/** Rows as aligned columns under their headings. */
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
