import type { DoubtEnd, SilentLease, SilentLife } from '@headgate/store'
import { recordCommand } from './accounts.ts'
import { type Command, type CommandContext, dataDirOption, table, usageError } from './command.ts'
import { dollars } from './money.ts'
import { withStore } from './store.ts'

export const listDoubts: Command = {
  name: 'budgets doubts',
  summary: 'lists processes that fell silent, and what they hold of budgets until somebody books or frees it',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    await withStore(context, async ({ budgets }) => {
      const silent = await budgets.silent()
      if (silent.length === 0) return context.print('No process is silent: nothing is in doubt.\n')
      const rows = silent.flatMap(({ life, node, since, isOver, leases }) =>
        leases.map((lease) => [
          ...[life, node, timeText(since), isOver ? 'over' : 'silent'],
          ...[lease.budget, lease.name, lease.window, dollars(heldBy(lease))],
        ]),
      )
      context.print(table(['PROCESS', 'MACHINE', 'SEEN', 'STATE', 'BUDGET', 'NAME', 'WINDOW', 'HELD'], rows))
    })
  },
}

export const bookDoubts: Command = {
  name: 'budgets book',
  words: '<process>',
  summary: 'counts as spent what a process holds that is gone for ever',
  options: { 'data-dir': dataDirOption },
  run: (context) => end(context, 'book', 'spent'),
}

export const freeDoubts: Command = {
  name: 'budgets free',
  words: '<process>',
  summary: 'gives back what a process holds that is gone for ever and has surely not spent it',
  options: { 'data-dir': dataDirOption },
  run: (context) => end(context, 'free', 'free'),
}

const DONE = { spent: 'Booked as spent', free: 'Freed' } as const

async function end(context: CommandContext, word: string, how: DoubtEnd): Promise<void> {
  const [life, ...more] = context.words
  if (!life || more.length > 0)
    throw usageError(`budgets ${word} takes one process: \`headgate budgets doubts\` shows them.`)
  await withStore(context, async ({ budgets }) => {
    const found = (await budgets.silent()).find((one) => one.life === life)
    if (!found)
      throw usageError(
        `No process ${JSON.stringify(life)} is silent: it goes on, or was heard of within the last minute, or holds nothing. \`headgate budgets doubts\` shows those that are.`,
      )
    if (!(await budgets.end(life, how)))
      throw usageError(`Somebody has ended what the process ${life} holds meanwhile.`)
    await recordCommand(context, { action: 'budget.doubt', target: life, after: { end: how } })
    context.note(
      `${DONE[how]}: ${heldText(found)}. The process ${life} of ${found.node || 'an unknown machine'} gets nothing any more.\n`,
    )
  })
}

function heldText({ leases }: SilentLife): string {
  return leases
    .map((lease) => `$${dollars(heldBy(lease))} of budget ${lease.budget}, ${lease.name}, in ${lease.window}`)
    .join('; ')
}

/** Nano-dollars that it may have spent, and that nobody else may spend. */
function heldBy({ granted, used }: SilentLease): bigint {
  return granted > used ? granted - used : 0n
}

function timeText(time: number): string {
  return new Date(time).toISOString()
}
