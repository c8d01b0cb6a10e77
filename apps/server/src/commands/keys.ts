import { existsSync } from 'node:fs'
import type { RateLimit } from '@headgate/core/store'
import type { BudgetStatus, StoredKey } from '@headgate/store'
import { SCOPES } from '../config/schema.ts'
import { placeSettings } from '../config/settings.ts'
import { type Command, type CommandContext, dataDirOption, flagsOf, table, textOf, textsOf, usageError } from './command.ts'
import { budgetOf, budgetText } from './money.ts'
import { withStore } from './store.ts'

export const createKey: Command = {
  name: 'keys create',
  summary: 'makes an API key and prints it, this once',
  options: {
    name: { type: 'string', value: 'text', help: 'whom it is for' },
    expires: { type: 'string', value: 'when', help: 'after how long (30d, 12h, 45m) or at which date (2027-01-31) it ends' },
    models: { type: 'string', value: 'a,b*', help: 'the only models it may call; * stands for any text' },
    search: { type: 'string', value: 'a,b*', help: 'the only search engines and backends it may use' },
    scopes: { type: 'string', value: SCOPES.join(','), help: 'what else it may do; who names any of these three may do nothing else' },
    budget: {
      type: 'string',
      multiple: true,
      value: 'dollars/period',
      help: 'what it may spend a day, week or month (5/day@Europe/Berlin), or for ever (20); soft:5/day only alerts; may be given several times',
    },
    rpm: { type: 'string', value: 'number', help: 'how many requests it may make within any 60 seconds' },
    tpm: { type: 'string', value: 'number', help: 'how many tokens it may use within any 60 seconds, input and output together' },
    concurrent: { type: 'string', value: 'number', help: 'how many requests it may have open at a time' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const { values, print, note } = context
    const budgets = textsOf(context, 'budget').map((text) => budgetOf('--budget', text))
    const limits = limitsOf(context)
    const expiresAt = typeof values['expires'] === 'string' ? expiry(values['expires'], Date.now()) : undefined
    const [models, search, scopes] = (['models', 'search', 'scopes'] as const).map((flag) => listOf(flag, values[flag]))
    const unknown = scopes?.find((scope) => !(SCOPES as readonly string[]).includes(scope))
    if (unknown !== undefined) throw usageError(`--scopes: found ${JSON.stringify(unknown)}; allowed: ${SCOPES.join(', ')}`)
    const name = textOf(context, 'name')
    const { dataDir, databaseUrl } = placeSettings(flagsOf(values), context)
    const isNew = databaseUrl === undefined && !existsSync(dataDir)
    await withStore(context, async ({ keys }) => {
      const { key, stored } = await keys.create({ name, models, search, scopes, expiresAt, budgets, limits })
      print(`${key}\n`)
      const place = databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'
      const advice = isNew
        ? ' That folder is new: a gateway knows the key only if it is started with it (--data-dir, HEADGATE_DATA_DIR).'
        : ''
      note(`Made key ${stored.id} in ${place}. It is not shown again.${advice}\n`)
    })
  },
}

export const listKeys: Command = {
  name: 'keys list',
  summary: 'lists the stored API keys, by their first characters',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    await withStore(context, async ({ keys, budgets }) => {
      const [stored, all] = [await keys.list(), await budgets.list()]
      const ownOf = Map.groupBy(all, ({ scope, owner }) => (scope === 'key' ? owner : ''))
      const rows = stored.map((key) => [
        key.id,
        key.prefix,
        key.name ?? '',
        day(key.createdAt),
        state(key, Date.now()),
        ...permissions(key),
        budgetsText(ownOf.get(key.id)),
        limitsText(key.limits),
      ])
      context.print(table(['ID', 'KEY', 'NAME', 'CREATED', 'STATE', 'MODELS', 'SEARCH', 'SCOPES', 'BUDGETS', 'LIMITS'], rows))
    })
  },
}

export const revokeKey: Command = {
  name: 'keys revoke',
  words: '<id or name>',
  summary: 'ends an API key, within a second also in a running gateway',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0) throw usageError('keys revoke takes one id or name: `headgate keys list` shows them.')
    await withStore(context, async ({ keys }) => {
      const revoked = await keys.revoke(reference)
      if (!revoked)
        throw usageError(`No key, or more than one, is called ${JSON.stringify(reference)}: \`headgate keys list\` shows their ids.`)
      context.note(`Revoked key ${revoked.id}.\n`)
    })
  },
}

/** Flags of {@link RateLimit}. */
const RATES = [
  ['rpm', 'requestsPerMinute'],
  ['tpm', 'tokensPerMinute'],
  ['concurrent', 'concurrent'],
] as const satisfies readonly (readonly [string, keyof RateLimit])[]

const MOST_RATE = 2 ** 31

function limitsOf(context: CommandContext): RateLimit | undefined {
  const limits = RATES.flatMap(([flag, field]) => {
    const text = textOf(context, flag)
    if (context.values[flag] === undefined) return []
    const count = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0
    if (count < 1 || count > MOST_RATE)
      throw usageError(`--${flag}: found ${JSON.stringify(text ?? '')}; allowed: a whole number from 1 to ${MOST_RATE}`)
    return [[field, count] as const]
  })
  return limits.length > 0 ? Object.fromEntries(limits) : undefined
}

function budgetsText(budgets: readonly BudgetStatus[] = []): string {
  return budgets.map(budgetText).join(', ') || 'none'
}

function limitsText(limits: RateLimit = {}): string {
  const said = RATES.flatMap(([flag, field]) => (limits[field] === undefined ? [] : [`${flag} ${limits[field]}`]))
  return said.join(', ') || 'none'
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30d` from now, or a date, as Unix milliseconds. */
function expiry(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const at = count ? now + Number(count) * (UNITS[unit] ?? 0) : isoDate(text)
  if (Number.isNaN(at)) throw usageError(`--expires: found ${JSON.stringify(text)}; allowed: 30d, 12h, 45m, or a date such as 2027-01-31`)
  if (at <= now) throw usageError(`--expires: ${text} is in the past`)
  return at
}

function isoDate(text: string): number {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
}

function listOf(flag: string, text: unknown): string[] | undefined {
  if (typeof text !== 'string') return undefined
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw usageError(`--${flag} takes names with commas between them, such as a,b*`)
  return names
}

/** What a key may do, as columns: whoever is told anything that it may do may do nothing else. */
function permissions({ models, search, scopes }: StoredKey): string[] {
  const rest = models || search || scopes ? 'none' : 'all'
  return [models?.join(',') ?? rest, search?.join(',') ?? rest, scopes?.join(',') ?? 'none']
}

function state({ revokedAt, expiresAt }: StoredKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${day(revokedAt)}`
  if (expiresAt === undefined) return 'valid'
  return expiresAt <= now ? `expired ${day(expiresAt)}` : `valid until ${day(expiresAt)}`
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
