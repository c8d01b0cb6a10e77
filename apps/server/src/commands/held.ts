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
  summary: 'lists amounts held from budgets for requests of unknown cost, newest first',
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
      if (held.length === 0) return context.print('Budgets hold no amounts for requests of unknown cost.\n')
      const names = new Map(keys.map(({ id, name }) => [id, name]))
      const rows = held.map(({ id, principal, at, provider, providerModel, why, held }) => {
        const name = names.get(principal)
        return [
          ...[id, name === undefined ? principal : `${principal} (${name})`, new Date(at).toISOString()],
          ...[`${provider}/${providerModel}`, why, dollars(held)],
        ]
      })
      context.print(table(['ID', 'KEY', 'BEGAN', 'MODEL', 'WHY', 'HELD'], rows))
    })
  },
}

export const releaseHeld: Command = {
  name: 'budgets release',
  words: '<id>',
  summary: 'releases the amount held for a request that its provider did not charge; recorded in the audit log',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [id, ...more] = context.words
    if (!id || more.length > 0)
      throw usageError('budgets release takes one id. List the ids with `headgate budgets held`.')
    const released = await withStore(context, ({ budgets }) => budgets.releaseHeld({ id }))
    if (!released) throw usageError(`Budgets no longer hold an amount for ${id}.`)
    const { principal, held, requestId } = released
    await noteReleases(context, [{ ...released, cost: 0n }])
    context.note(`Released $${dollars(held)}, which budgets held for request ${requestId} of key ${principal}.\n`)
  },
}

/** Records released amounts and the charged part of each in the audit log. */
export async function noteReleases(
  context: CommandContext,
  released: readonly (HeldAmount & { readonly cost: bigint })[],
): Promise<void> {
  if (released.length === 0) return
  await withOperator(context, async ({ accounts, organization }) => {
    for (const { id, principal, requestId, held, cost } of released)
      await accounts.recordAct(OPERATOR, {
        action: 'budget.release',
        target: id,
        organization,
        after: { key: principal, request: requestId, held: String(held), cost: String(cost) },
      })
  })
}
