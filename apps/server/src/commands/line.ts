import { parseArgs } from 'node:util'
import type { HeadgateError } from '@headgate/gateway'
import type { Surroundings } from '../config/settings.ts'
import { printable } from '../printable.ts'
import { version } from '../program.ts'
import { listAdapters } from './adapters.ts'
import { showAlertSecret, testAlert } from './alerts.ts'
import { apply, diff } from './apply.ts'
import { verifyAudit } from './audit.ts'
import { listBudgets, removeBudget, setBudget } from './budgets.ts'
import { showCallbackSecret } from './callback-secret.ts'
import { type Command, type CommandContext, exitCode, usageError } from './command.ts'
import { checkConfiguration, printSchema } from './config.ts'
import { doctor } from './doctor.ts'
import { explainModel } from './explain.ts'
import { checkHealth } from './health.ts'
import { listHeld, releaseHeld } from './held.ts'
import { commandHelp, helpText } from './help.ts'
import { importBifrost, importLiteLLM, importPortkey } from './imports.ts'
import { createKey, listKeys, revokeKey, rotateKey, takeOverKey } from './keys.ts'
import { listModels } from './models.ts'
import { freeOrphanedLeases, listOrphanedLeases, spendOrphanedLeases } from './orphaned-leases.ts'
import { archiveProject, createProject, listProjects, shareProject } from './projects.ts'
import { reconcile } from './reconcile.ts'
import { indexDocuments } from './search-index.ts'
import { start } from './start.ts'
import { backupStore, checkStore, migrateStore, rebuildStore, restoreStore } from './store.ts'
import { listUsage } from './usage.ts'
import { addUser, disableUser, firstLink, listUsers, resetUser } from './users.ts'
import { makeVideo } from './video.ts'

const COMMANDS: readonly Command[] = [
  start,
  createKey,
  listKeys,
  rotateKey,
  takeOverKey,
  revokeKey,
  showCallbackSecret,
  firstLink,
  addUser,
  listUsers,
  resetUser,
  disableUser,
  verifyAudit,
  listProjects,
  createProject,
  archiveProject,
  shareProject,
  setBudget,
  removeBudget,
  listOrphanedLeases,
  spendOrphanedLeases,
  freeOrphanedLeases,
  listHeld,
  releaseHeld,
  testAlert,
  showAlertSecret,
  listBudgets,
  listAdapters,
  listModels,
  explainModel,
  checkConfiguration,
  printSchema,
  apply,
  diff,
  importLiteLLM,
  importPortkey,
  importBifrost,
  listUsage,
  reconcile,
  backupStore,
  restoreStore,
  checkStore,
  rebuildStore,
  migrateStore,
  indexDocuments,
  makeVideo,
  checkHealth,
  doctor,
]

export interface CommandLine extends Surroundings, Pick<CommandContext, 'print' | 'note'> {
  /** Arguments after the names of Node and the program. */
  readonly args: readonly string[]
}

/** Runs a command line. Resolves with the exit code; a started gateway keeps running. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  const { print, note } = line
  try {
    await carryOut({
      ...line,
      print: (text) => print(printable(text)),
      note: (text) => note(printable(text)),
      draw: note,
    })
    return 0
  } catch (error) {
    const code = exitCode(error)
    if (code === undefined || !(error instanceof Error)) throw error
    line.note(printable(`headgate: ${error.message}\n`))
    return code
  }
}

async function carryOut({ args, ...surroundings }: CommandLine & Pick<CommandContext, 'draw'>): Promise<void> {
  const { print } = surroundings
  const { command, rest } = findCommand(args)
  if (!command && (args.includes('--help') || args.includes('-h') || args[0] === 'help'))
    return print(helpText(COMMANDS))
  if (!command && (args.includes('--version') || args.includes('-v'))) return print(`${version}\n`)
  if (!command) throw unknownCommand(args)

  const { values, positionals } = parse(command, rest)
  if (values['help']) return print(commandHelp(command))
  if (positionals.length > 0 && !command.words)
    throw usageError(
      `${command.name} does not accept ${JSON.stringify(positionals[0])}. See: headgate ${command.name} --help`,
    )
  await command.run({ ...surroundings, values, words: positionals })
}

interface CommandMatch {
  readonly command?: Command
  readonly rest: readonly string[]
}

/** Command at the beginning of the arguments. Flags alone, or no arguments, start the gateway. */
function findCommand(args: readonly string[]): CommandMatch {
  const named = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (named) return { command: named, rest: args.slice(named.name.split(' ').length) }
  const asksForAll = ['--help', '-h', '--version', '-v'].some((flag) => args.includes(flag))
  if (asksForAll || (args[0] !== undefined && !args[0].startsWith('-'))) return { rest: args }
  return { command: start, rest: args }
}

function parse({ name, options }: Command, args: readonly string[]) {
  const flags = Object.fromEntries(
    Object.entries(options).map(([flag, { type, multiple = false, short }]) => [
      flag,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  )
  try {
    return parseArgs({
      args: [...args],
      options: { ...flags, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/\.\s/)[0] ?? '') : String(error)
    throw usageError(`${reason}. See: headgate ${name} --help`)
  }
}

function unknownCommand([first = '', second]: readonly string[]): HeadgateError {
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (family.length > 0)
    return usageError(`${first} needs one of: ${family.join(', ')}${second ? `; found ${JSON.stringify(second)}` : ''}`)
  return usageError(`Unknown command ${JSON.stringify(first)}. See: headgate --help`)
}
