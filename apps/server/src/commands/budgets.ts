import type { Budget, BudgetScope } from '@headgate/gateway/ports'
import type { Archive, BudgetStatus } from '@headgate/store'
import { DEFAULT_ORGANIZATION } from '@headgate/store'
import type { WrittenBudget } from '../config/budget-text.ts'
import { isConfigured } from '../service/budgets.ts'
import { recordCommand } from './accounts.ts'
import { type Command, type CommandContext, configOption, dataDirOption, table, textOf, usageError } from './command.ts'
import { allKeys, findKey, type NamedKey, settingsOf } from './key-reference.ts'
import { budgetOf, budgetText, dollars, leftOf } from './money.ts'
import { withStore } from './store.ts'

const HEADINGS = ['ID', 'NAME', 'SCOPE', 'OWNER', 'KIND', 'LIMIT', 'SPENT', 'LEASED', 'LEFT', 'RESETS']

export const listBudgets: Command = {
  name: 'budgets',
  words: '[list]',
  summary: 'lists budgets in US dollars: what is spent, what processes hold, what is left, and when it is there anew',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [word, ...more] = context.words
    if ((word !== undefined && word !== 'list') || more.length > 0)
      throw usageError(
        `budgets needs one of: list, set, remove, held, release, doubts, book, free, test-alert, alert-secret; found ${JSON.stringify(word)}`,
      )
    const settings = await settingsOf(context)
    await withStore(context, async (store) => {
      await store
        .takeIn()
        .catch((error: unknown) => context.note(`What has ended last may not be counted yet: ${String(error)}\n`))
      const [budgets, keys] = [await store.budgets.list(), await allKeys(settings, store)]
      const names = new Map(keys.map(({ id, name }) => [id, name]))
      context.print(
        table(
          HEADINGS,
          budgets.map((budget) => cells(budget, names)),
        ),
      )
    })
  },
}

function cells(budget: BudgetStatus, names: ReadonlyMap<string, string | undefined>): string[] {
  const { id, name, scope, owner, soft, counts, limit, spent, leased, resetAt } = budget
  const ownName = scope === 'key' ? names.get(owner) : undefined
  return [
    id,
    name,
    scope,
    ownName === undefined ? owner : `${owner} (${ownName})`,
    `${soft ? 'soft' : 'hard'}${counts === 'cost' ? ', cost' : ''}`,
    ...[limit, spent, leased, leftOf(budget)].map(dollars),
    resetAt === undefined ? 'never' : new Date(resetAt).toISOString().replace('.000Z', 'Z'),
  ]
}

const OWNERS = 'key:<id or name>, project:<name>, member:<id> or organization'

export const setBudget: Command = {
  name: 'budgets set',
  words: '<owner> <dollars/period>',
  summary: 'says what somebody may spend, within a second also to a running gateway',
  options: {
    soft: { type: 'boolean', help: 'refuse nothing, only alert; the same as soft:5/day' },
    count: {
      type: 'string',
      value: 'what',
      help: 'charged, what counts for callers, or cost, all that providers charge',
    },
    name: { type: 'string', value: 'text', help: 'as messages name it; $5 a day' },
    id: {
      type: 'string',
      value: 'id',
      help: 'the budget that it takes the place of; by default that of the same owner, period and kind',
    },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [owner, text, ...more] = context.words
    if (!owner || !text || more.length > 0)
      throw usageError(
        `budgets set takes an owner and a budget: headgate budgets set key:ci 5/day. An owner is ${OWNERS}.`,
      )
    const written = budgetOf('the budget', text)
    const count = context.values['count'] === undefined ? undefined : countsOf(textOf(context, 'count'))
    const settings = await settingsOf(context)
    await withStore(context, async (store) => {
      const of = ownerOf(owner, await allKeys(settings, store))
      const wanted = { ...of, ...written, soft: written.soft || context.values['soft'] === true }
      const all = await store.budgets.list()
      const before = beforeOf(context, all, { ...wanted, ...(count && { counts: count }) })
      const name = textOf(context, 'name') ?? (before && isNamed(before) ? before.name : undefined)
      const set = await store.budgets.set({
        ...wanted,
        ...(before && { id: before.id, zone: written.zone ?? before.zone }),
        counts: count ?? before?.counts,
        ...(name !== undefined && { name }),
      })
      const kind = budgetText(set)
      const action = before ? 'budget.change' : 'budget.create'
      const after = { scope: set.scope, owner: set.owner, name: set.name, budget: kind }
      await recordCommand(context, {
        action,
        target: set.id,
        after,
        ...(before && { before: { name: before.name, budget: budgetText(before) } }),
      })
      context.note(
        before
          ? `Budget ${set.id} of ${set.scope} ${set.owner} is ${kind} now; it was ${budgetText(before)}.\n`
          : `Made budget ${set.id}: ${kind} for ${set.scope} ${set.owner}.\n`,
      )
    })
  },
}

type Owner = Pick<Budget, 'scope' | 'owner'>

function ownerOf(text: string, keys: readonly NamedKey[]): Owner {
  if (text === 'organization') return { scope: 'organization', owner: DEFAULT_ORGANIZATION }
  const [, scope, name = ''] = /^(key|project|member|organization):(.+)$/s.exec(text) ?? []
  if (scope === undefined) throw usageError(`The owner: found ${JSON.stringify(text)}; allowed: ${OWNERS}`)
  return { scope: scope as BudgetScope, owner: scope === 'key' ? findKey(keys, name).id : name }
}

function countsOf(text: string | undefined): Budget['counts'] {
  if (text === 'charged' || text === 'cost') return text
  throw usageError(`--count: found ${JSON.stringify(text ?? '')}; allowed: charged, cost`)
}

/** Whether somebody has named it: otherwise its name is its limit. */
function isNamed({ name }: Budget): boolean {
  return !name.startsWith('$')
}

/** The budget that another one takes the place of. */
function beforeOf(
  context: CommandContext,
  all: readonly BudgetStatus[],
  { scope, owner, period, zone, soft, counts }: Owner & WrittenBudget & Partial<Pick<Budget, 'counts'>>,
): BudgetStatus | undefined {
  const id = textOf(context, 'id')
  if (id !== undefined) return changeable(all, id)
  return all.find(
    (one) =>
      !isConfigured(one) &&
      [one.scope, one.owner, one.period, one.soft].join() === [scope, owner, period, soft].join() &&
      one.zone === (zone ?? one.zone) &&
      one.counts === (counts ?? one.counts),
  )
}

/** @throws HeadgateError where there is none, or the configuration has it. */
function changeable(all: readonly BudgetStatus[], id: string): BudgetStatus {
  const found = all.find((one) => one.id === id)
  if (!found) throw usageError(`There is no budget ${JSON.stringify(id)}: \`headgate budgets\` shows ids.`)
  if (isConfigured(found)) throw usageError(`The budget ${id} is of the configuration: change it there.`)
  return found
}

export const removeBudget: Command = {
  name: 'budgets remove',
  words: '<id>',
  summary: 'removes a budget, within a second also from a running gateway',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [id, ...more] = context.words
    if (!id || more.length > 0) throw usageError('budgets remove takes one id: `headgate budgets` shows them.')
    await withStore(context, async ({ budgets }: Pick<Archive, 'budgets'>) => {
      const { scope, owner, name } = changeable(await budgets.list(), id)
      await budgets.remove(id)
      await recordCommand(context, { action: 'budget.remove', target: id, before: { scope, owner, name } })
      context.note(`Removed budget ${id}, ${name}, of ${scope} ${owner}.\n`)
    })
  },
}
