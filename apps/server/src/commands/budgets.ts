import type { Budget, BudgetScope } from '@headgate/gateway/ports'
import type { BudgetStatus, CommandStore } from '@headgate/store'
import { DEFAULT_ORGANIZATION } from '@headgate/store'
import type { WrittenBudget } from '../config/budget-text.ts'
import { isConfigured } from '../service/budgets.ts'
import { recordCommand } from './accounts.ts'
import {
  type Command,
  type CommandContext,
  configOption,
  dataDirOption,
  stringFlag,
  table,
  usageError,
} from './command.ts'
import { allKeys, findKey, type NamedKey, settingsOf } from './key-reference.ts'
import { budgetOf, budgetText, dollars, leftOf } from './money.ts'
import { withStore } from './store.ts'

const HEADINGS = ['ID', 'NAME', 'SCOPE', 'OWNER', 'KIND', 'LIMIT', 'SPENT', 'LEASED', 'LEFT', 'RESETS']

export const listBudgets: Command = {
  name: 'budgets',
  words: '[list]',
  summary: 'lists budgets in US dollars: spent, leased to processes, remaining, and time of the next reset',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [word, ...more] = context.words
    if ((word !== undefined && word !== 'list') || more.length > 0)
      throw usageError(
        `budgets needs one of \`list, set, remove, held, release, orphaned, mark-spent, free, test-alert, alert-secret\`; found ${JSON.stringify(word)}`,
      )
    const settings = await settingsOf(context)
    await withStore(context, async (store) => {
      await store
        .ingest()
        .catch((error: unknown) => context.note(`The latest requests may not be counted yet: ${String(error)}\n`))
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
  summary: 'sets the budget of a key, project, member or organization; a running gateway applies it within a second',
  options: {
    soft: { type: 'boolean', help: 'only alert, never refuse requests; the same as soft:5/day' },
    count: {
      type: 'string',
      value: 'what',
      help: 'charged (the amounts billed to callers) or cost (all that providers charge)',
    },
    name: { type: 'string', value: 'text', help: 'name in messages (default: its limit, such as $5 a day)' },
    id: {
      type: 'string',
      value: 'id',
      help: 'budget to replace (default: the budget with the same owner, period and kind)',
    },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [owner, text, ...more] = context.words
    if (!owner || !text || more.length > 0)
      throw usageError(`budgets set takes an owner and a budget: headgate budgets set key:ci 5/day. Owners: ${OWNERS}.`)
    const written = budgetOf('the budget', text)
    const count = context.values['count'] === undefined ? undefined : countsOf(stringFlag(context, 'count'))
    const settings = await settingsOf(context)
    await withStore(context, async (store) => {
      const of = ownerOf(owner, await allKeys(settings, store))
      const wanted = { ...of, ...written, soft: written.soft || context.values['soft'] === true }
      const all = await store.budgets.list()
      const before = beforeOf(context, all, { ...wanted, ...(count && { counts: count }) })
      const name = stringFlag(context, 'name') ?? (before && isNamed(before) ? before.name : undefined)
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
          ? `Budget ${set.id} of ${set.scope} ${set.owner} is now ${kind}; it was ${budgetText(before)}.\n`
          : `Created budget ${set.id}: ${kind} for ${set.scope} ${set.owner}.\n`,
      )
    })
  },
}

type BudgetOwnerRef = Pick<Budget, 'scope' | 'owner'>

function ownerOf(text: string, keys: readonly NamedKey[]): BudgetOwnerRef {
  if (text === 'organization') return { scope: 'organization', owner: DEFAULT_ORGANIZATION }
  const [, scope, name = ''] = /^(key|project|member|organization):(.+)$/s.exec(text) ?? []
  if (scope === undefined) throw usageError(`Unknown owner: found ${JSON.stringify(text)}; allowed: ${OWNERS}`)
  return { scope: scope as BudgetScope, owner: scope === 'key' ? findKey(keys, name).id : name }
}

function countsOf(text: string | undefined): Budget['counts'] {
  if (text === 'charged' || text === 'cost') return text
  throw usageError(`--count: found ${JSON.stringify(text ?? '')}; allowed: charged, cost`)
}

/** True if the budget was given a name. A default name is the limit, such as `$5 a day`. */
function isNamed({ name }: Budget): boolean {
  return !name.startsWith('$')
}

/** Existing budget that the new one replaces. */
function beforeOf(
  context: CommandContext,
  all: readonly BudgetStatus[],
  { scope, owner, period, zone, soft, counts }: BudgetOwnerRef & WrittenBudget & Partial<Pick<Budget, 'counts'>>,
): BudgetStatus | undefined {
  const id = stringFlag(context, 'id')
  if (id !== undefined) return changeable(all, id)
  return all.find(
    (one) =>
      !isConfigured(one) &&
      [one.scope, one.owner, one.period, one.soft].join() === [scope, owner, period, soft].join() &&
      one.zone === (zone ?? one.zone) &&
      one.counts === (counts ?? one.counts),
  )
}

/** @throws HeadgateError if no budget matches, or if it comes from the configuration. */
function changeable(all: readonly BudgetStatus[], id: string): BudgetStatus {
  const found = all.find((one) => one.id === id)
  if (!found) throw usageError(`There is no budget ${JSON.stringify(id)}. List the ids with \`headgate budgets\`.`)
  if (isConfigured(found)) throw usageError(`Budget ${id} comes from the configuration: change it there.`)
  return found
}

export const removeBudget: Command = {
  name: 'budgets remove',
  words: '<id>',
  summary: 'removes a budget; a running gateway stops applying it within a second',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [id, ...more] = context.words
    if (!id || more.length > 0) throw usageError('budgets remove takes one id. List the ids with `headgate budgets`.')
    await withStore(context, async ({ budgets }: Pick<CommandStore, 'budgets'>) => {
      const { scope, owner, name } = changeable(await budgets.list(), id)
      await budgets.remove(id)
      await recordCommand(context, { action: 'budget.remove', target: id, before: { scope, owner, name } })
      context.note(`Removed budget ${id} (${name}) of ${scope} ${owner}.\n`)
    })
  },
}
