import type { HeldAmount } from '@headgate/store'
import { OPERATOR } from '../management/people.ts'
import { withOperator } from './accounts.ts'
import {
  type Command,
  type CommandContext,
  configOption,
  dataDirOption,
  stringFlag,
  table,
  usageError,
} from './command.ts'
import { allKeys, findKey, settingsOf } from './key-reference.ts'
import { dollars } from './money.ts'
import { withStore } from './store.ts'

export const listHeld: Command = {
  name: 'budgets held',
  summary: 'lists amounts held from budgets for requests of unknown cost and for lost processes, newest first',
  options: {
    key: { type: 'string', value: 'id or name', help: 'only requests of this key' },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    if (context.words.length > 0) throw usageError('budgets held takes no arguments. Filter by key with --key.')
    const settings = await settingsOf(context)
    await withStore(context, async (store) => {
      const keys = await allKeys(settings, store)
      const wanted = stringFlag(context, 'key')
      const held = await store.budgets.held(wanted === undefined ? {} : { principal: findKey(keys, wanted).id })
      if (held.length === 0)
        return context.print('Budgets hold no amounts for requests of unknown cost or lost processes.\n')
      const names = new Map(keys.map(({ id, name }) => [id, name]))
      const rows = held.map(({ id, principal, at, held, ...amount }) => {
        const name = names.get(principal)
        return [
          ...[id, name === undefined ? principal : `${principal} (${name})`, timeText(at)],
          ...reasonCells(amount),
          dollars(held),
        ]
      })
      context.print(table(['ID', 'KEY', 'BEGAN', 'MODEL', 'WHY', 'HELD'], rows))
    })
  },
}

/** Model and reason; for a lost process its budget and machine. */
function reasonCells({
  provider,
  providerModel,
  why,
  lost,
}: Pick<HeldAmount, 'provider' | 'providerModel' | 'why' | 'lost'>): string[] {
  if (!lost) return [`${provider}/${providerModel}`, why]
  const { node, since, budget } = lost
  return [`budget ${budget}`, `no heartbeat from ${node || 'an unknown machine'} since ${timeText(since)}`]
}

function timeText(time: number): string {
  return new Date(time).toISOString()
}

export const releaseHeld: Command = {
  name: 'budgets release',
  words: '<id>',
  summary:
    'releases the amount held for a request that its provider did not charge, or for a lost process; recorded in the audit log',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [id, ...more] = context.words
    if (!id || more.length > 0)
      throw usageError('budgets release takes one id. List the ids with `headgate budgets held`.')
    const released = await withStore(context, ({ budgets }) => budgets.releaseHeld({ id }))
    if (!released) throw usageError(`Budgets no longer hold an amount for ${id}.`)
    const { principal, held, requestId, lost } = released
    await noteReleases(context, [{ ...released, cost: 0n }])
    const of = lost ? `process ${lost.run} of ${lost.node}` : `request ${requestId} of key ${principal}`
    context.note(`Released $${dollars(held)}, which budgets held for ${of}.\n`)
  },
}

/** Records released amounts and the charged part of each in the audit log. */
export async function noteReleases(
  context: CommandContext,
  released: readonly (HeldAmount & { readonly cost: bigint })[],
): Promise<void> {
  if (released.length === 0) return
  await withOperator(context, async ({ accounts, organization }) => {
    for (const { id, principal, requestId, held, cost, lost } of released)
      await accounts.recordAct(OPERATOR, {
        action: 'budget.release',
        target: id,
        organization,
        after: {
          key: principal,
          request: requestId,
          held: String(held),
          cost: String(cost),
          ...(lost && { process: lost.run, node: lost.node }),
        },
      })
  })
}
