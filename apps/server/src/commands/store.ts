import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import type { CommandStore } from '@headgate/store'
import { placeSettings } from '../config/settings.ts'
import { version } from '../program.ts'
import { recordCommand } from './accounts.ts'
import { type Command, type CommandContext, dataDirOption, flagsOf, usageError } from './command.ts'

/** Opens the store for one command. A gateway can run at the same time. */
export async function withStore<T>(context: CommandContext, use: (store: CommandStore) => Promise<T>): Promise<T> {
  const { openCommandStore } = await import('@headgate/store')
  const { ACCOUNTS } = await import('@headgate/accounts/schema')
  const store = await openCommandStore({
    ...placeSettings(flagsOf(context.values), context),
    schemas: [ACCOUNTS],
    onProblem: (problem) => context.note(`${problem}\n`),
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

export const backupStore: Command = {
  name: 'backup',
  summary: 'copies the store to a file, even while a gateway runs',
  options: {
    to: { type: 'string', value: 'file', help: 'new file to write' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const file = fileOf(context, 'to')
    await withStore(context, (store) => store.backup(file))
    await recordCommand(context, { action: 'store.backup', after: { file } })
    context.note(`Copied the store to ${file}.\n`)
  },
}

export const restoreStore: Command = {
  name: 'restore',
  summary: 'restores a backup into an empty store; SQLite and Postgres can be exchanged',
  options: {
    from: { type: 'string', value: 'file', help: 'file written by `headgate backup`' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const file = fileOf(context, 'from')
    if (!existsSync(file)) throw usageError(`--from: there is no file ${file}`)
    const rows = await withStore(context, (store) => store.restore(file))
    await recordCommand(context, { action: 'store.restore', after: { file, rows } })
    context.note(`Restored ${rows} rows from ${file}.\n`)
  },
}

export const checkStore: Command = {
  name: 'store check',
  summary: 'checks the whole store for damage and inconsistent sums',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const findings = await withStore(context, async (store) => {
      await store.ingest()
      return store.check()
    })
    for (const { level, message } of findings) context.print(`${level === 'fault' ? 'wrong' : 'note '}  ${message}\n`)
    const faults = findings.filter(({ level }) => level === 'fault')
    if (faults.length > 0) {
      const isDerived = faults.every(({ kind }) => kind === 'sums-differ' || kind === 'budgets-differ')
      const help = isDerived ? 'Run `headgate store rebuild`.' : 'Restore the store from a backup, or ask for help.'
      throw new HeadgateError('invalid-request', `The store has ${faults.length} faults. ${help}`)
    }
    context.print('The store is intact, and its sums match its rows.\n')
  },
}

export const rebuildStore: Command = {
  name: 'store rebuild',
  summary: 'rebuilds usage sums and budget windows from usage rows, even while a gateway runs',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const { hours, days, windows } = await withStore(context, async (store) => {
      await store.ingest()
      return store.rebuild()
    })
    await recordCommand(context, { action: 'store.rebuild', after: { hours, days, windows } })
    context.print(`Rebuilt ${hours} hours and ${days} days of usage, and corrected ${windows} budget windows.\n`)
  },
}

export const migrateStore: Command = {
  name: 'store migrate',
  summary: 'migrates the store to this version, even while gateways of the version before run',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    await withStore(context, async () => {})
    context.print(`The store has the tables of headgate ${version}.\n`)
  },
}

function fileOf({ values, folder }: CommandContext, flag: string): string {
  const value = values[flag]
  if (typeof value !== 'string' || value === '') throw usageError(`--${flag} <file> is required`)
  return resolve(folder, value)
}
