import type { OrphanOutcome, SilentLease, SilentRun } from '@headgate/store'
import { recordCommand } from './accounts.ts'
import { type Command, type CommandContext, dataDirOption, table, usageError } from './command.ts'
import { dollars } from './money.ts'
import { withStore } from './store.ts'

export const listOrphanedLeases: Command = {
  name: 'budgets orphaned',
  summary: 'lists orphaned leases: budget amounts held by processes that stopped responding',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    await withStore(context, async ({ budgets }) => {
      const silent = await budgets.silent()
      if (silent.length === 0) return context.print('There are no orphaned leases: no process is silent.\n')
      const rows = silent.flatMap(({ run, node, since, isOver, leases }) =>
        leases.map((lease) => [
          ...[run, node, timeText(since), isOver ? 'over' : 'silent'],
          ...[lease.budget, lease.name, lease.window, dollars(heldBy(lease))],
        ]),
      )
      context.print(table(['PROCESS', 'MACHINE', 'SEEN', 'STATE', 'BUDGET', 'NAME', 'WINDOW', 'HELD'], rows))
    })
  },
}

export const spendOrphanedLeases: Command = {
  name: 'budgets mark-spent',
  words: '<process>',
  summary: 'counts the leases of a permanently lost process as spent',
  options: { 'data-dir': dataDirOption },
  run: (context) => end(context, 'mark-spent', 'spent'),
}

export const freeOrphanedLeases: Command = {
  name: 'budgets free',
  words: '<process>',
  summary: 'returns the leases of a permanently lost process to their budgets, if it surely did not spend them',
  options: { 'data-dir': dataDirOption },
  run: (context) => end(context, 'free', 'free'),
}

const DONE = { spent: 'Counted as spent', free: 'Freed' } as const

async function end(context: CommandContext, word: string, how: OrphanOutcome): Promise<void> {
  const [run, ...more] = context.words
  if (!run || more.length > 0)
    throw usageError(`budgets ${word} takes one process. List the processes with \`headgate budgets orphaned\`.`)
  await withStore(context, async ({ budgets }) => {
    const found = (await budgets.silent()).find((one) => one.run === run)
    if (!found)
      throw usageError(
        `The process ${JSON.stringify(run)} has no orphaned leases: it is running, was seen within the last minute, or holds nothing. List orphaned leases with \`headgate budgets orphaned\`.`,
      )
    if (!(await budgets.end(run, how))) throw usageError(`The leases of process ${run} were settled in the meantime.`)
    await recordCommand(context, { action: 'budget.orphaned', target: run, after: { end: how } })
    context.note(
      `${DONE[how]}: ${heldText(found)}. The process ${run} of ${found.node || 'an unknown machine'} can no longer use these budgets.\n`,
    )
  })
}

function heldText({ leases }: SilentRun): string {
  return leases
    .map((lease) => `$${dollars(heldBy(lease))} of budget ${lease.budget}, ${lease.name}, in ${lease.window}`)
    .join('; ')
}

/** Remaining amount of a lease in nano-dollars: the process may have spent it, and no other process can. */
function heldBy({ granted, used }: SilentLease): bigint {
  return granted > used ? granted - used : 0n
}

function timeText(time: number): string {
  return new Date(time).toISOString()
}
