import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Archive } from '@headgate/store'
import { placeSettings } from '../config/settings.ts'
import { recordCommand } from './accounts.ts'
import { type Command, type CommandContext, dataDirOption, flagsOf, usageError } from './command.ts'

/** Opens the store for one command, beside a program that may run. */
export async function withStore<T>(context: CommandContext, use: (store: Archive) => Promise<T>): Promise<T> {
  const { openArchive } = await import('@headgate/store')
  const { ACCOUNTS } = await import('@headgate/accounts/schema')
  const store = await openArchive({
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
  summary: 'copies the store into a file, also while a gateway runs',
  options: {
    to: { type: 'string', value: 'file', help: 'the file, which must not be there yet' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const file = fileOf(context, 'to')
    await withStore(context, (store) => store.backup(file))
    await recordCommand(context, { action: 'store.backup', after: { file } })
    context.note(`The store is in ${file}.\n`)
  },
}

export const restoreStore: Command = {
  name: 'restore',
  summary: 'reads a backup into a store that is empty: SQLite or Postgres, whichever it was made of',
  options: {
    from: { type: 'string', value: 'file', help: 'a file that `headgate backup` has made' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const file = fileOf(context, 'from')
    if (!existsSync(file)) throw usageError(`--from: there is no file ${file}`)
    const rows = await withStore(context, (store) => store.restore(file))
    await recordCommand(context, { action: 'store.restore', after: { file, rows } })
    context.note(`${rows} rows of ${file} are in the store.\n`)
  },
}

export const checkStore: Command = {
  name: 'store check',
  summary: 'reads the whole store and says what does not add up',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const findings = await withStore(context, async (store) => {
      await store.takeIn()
      return store.check()
    })
    for (const { level, message } of findings) context.print(`${level === 'fault' ? 'wrong' : 'note '}  ${message}\n`)
    const faults = findings.filter(({ level }) => level === 'fault')
    if (faults.length > 0) {
      const isDerived = faults.every(({ kind }) => kind === 'sums-differ' || kind === 'budgets-differ')
      const help = isDerived ? 'Run `headgate store rebuild`.' : 'Restore it from a backup, or ask for help.'
      throw new HeadgateError('invalid-request', `The store has ${faults.length} faults. ${help}`)
    }
    context.print('The store is whole, and its sums are those of its rows.\n')
  },
}

export const rebuildStore: Command = {
  name: 'store rebuild',
  summary: 'rebuilds the sums of usage and of budget windows from usage rows, also while a gateway runs',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const { hours, days, windows } = await withStore(context, async (store) => {
      await store.takeIn()
      return store.rebuild()
    })
    await recordCommand(context, { action: 'store.rebuild', after: { hours, days, windows } })
    context.print(`Rebuilt ${hours} hours and ${days} days of usage, and corrected ${windows} budget windows.\n`)
  },
}

function fileOf({ values, folder }: CommandContext, flag: string): string {
  const value = values[flag]
  if (typeof value !== 'string' || value === '') throw usageError(`--${flag} <file> is needed`)
  return resolve(folder, value)
}
