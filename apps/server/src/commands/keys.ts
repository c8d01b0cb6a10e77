import { existsSync } from 'node:fs'
import {
  ALLOWED_SETTINGS,
  definedRights,
  everyRight,
  isRestricted,
  KEY_RIGHT_NAMES,
  KEY_RIGHTS,
  KEY_SETTING_NAMES,
  KEY_SETTINGS,
  type KeyRightName,
  type KeySettings,
  type RateLimit,
  settingOf,
} from '@headgate/gateway/ports'
import type { BudgetStatus, StoredKey } from '@headgate/store'
import { SCOPES } from '../config/key-terms.ts'
import { placeSettings } from '../config/settings.ts'
import { OPERATOR } from '../management/people.ts'
import { findPerson, findProject, type OperatorAccess, projectsOf, storedKeyOf, withOperator } from './accounts.ts'
import {
  type Command,
  type CommandContext,
  dataDirOption,
  flagsOf,
  type Option,
  stringFlag,
  stringFlags,
  table,
  usageError,
} from './command.ts'
import { day, durationOf, timestampOf } from './days.ts'
import { budgetOf, budgetText } from './money.ts'
import { withStore } from './store.ts'

export const createKey: Command = {
  name: 'keys create',
  summary: 'creates an API key and prints it once',
  options: {
    name: { type: 'string', value: 'text', help: 'name of the key' },
    expires: {
      type: 'string',
      value: 'when',
      help: 'lifetime (30d, 12h, 45m) or expiry date (2027-01-31)',
    },
    ...everyRight<Option>((_, { example, description }) => ({
      type: 'string',
      value: example,
      help: helpOf(description),
    })),
    ...Object.fromEntries(
      KEY_SETTING_NAMES.map((name): [string, Option] => {
        const { example, description, absent } = KEY_SETTINGS[name]
        return [name, { type: 'string', value: example, help: `${helpOf(description)} (default ${absent})` }]
      }),
    ),
    budget: {
      type: 'string',
      multiple: true,
      value: 'dollars/period',
      help: 'spending limit per day, week or month (5/day@Europe/Berlin) or in total (20); soft:5/day only alerts; can be given several times',
    },
    rpm: { type: 'string', value: 'number', help: 'maximum number of requests within any 60 seconds' },
    tpm: {
      type: 'string',
      value: 'number',
      help: 'maximum number of input and output tokens within any 60 seconds',
    },
    concurrent: { type: 'string', value: 'number', help: 'maximum number of open requests' },
    project: { type: 'string', value: 'id or name', help: 'project of the key (default: the first project)' },
    service: { type: 'boolean', help: 'the key belongs to the project and cannot have the scope admin' },
    environment: {
      type: 'string',
      value: 'name',
      help: 'environment of the key: production, staging, development or a custom name (default production)',
    },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const { values, print, note } = context
    const budgets = stringFlags(context, 'budget').map((text) => budgetOf('--budget', text))
    const limits = limitsOf(context)
    const expiresAt = typeof values['expires'] === 'string' ? expiry(values['expires'], Date.now()) : undefined
    const lists = definedRights((flag) => listOf(flag, values[flag]))
    const settings = settingsOf(context)
    const unknown = lists.scopes?.find((scope) => !(SCOPES as readonly string[]).includes(scope))
    if (unknown !== undefined)
      throw usageError(`--scopes: found ${JSON.stringify(unknown)}; allowed: ${SCOPES.join(', ')}`)
    const name = stringFlag(context, 'name')
    const { dataDir, databaseUrl } = placeSettings(flagsOf(values), context)
    const isNew = databaseUrl === undefined && !existsSync(dataDir)
    const environment = stringFlag(context, 'environment')
    await withOperator(context, async (operator) => {
      const project = await projectOption(operator, context)
      const service = values['service'] === true
      const rights = { ...lists, ...settings, limits, ...(budgets.length > 0 && { budgets }) }
      const given = Object.assign({ name, expiresAt, project, environment, ...(service && { service }) }, rights)
      const { key, stored } = await operator.accounts.createKey(OPERATOR, operator.organization, given)
      print(`${key}\n`)
      const place = databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'
      const advice = isNew
        ? ' This folder is new: start the gateway with it (--data-dir or HEADGATE_DATA_DIR), or it will not accept the key.'
        : ''
      note(`Created key ${stored.id} in ${place}. It is not shown again.${advice}\n`)
    })
  },
}

export const listKeys: Command = {
  name: 'keys list',
  summary: 'lists the stored API keys by their first and last characters',
  options: {
    project: { type: 'string', value: 'id or name', help: 'only keys of this project' },
    stopped: {
      type: 'boolean',
      help: 'only keys that stopped because their creator left, is disabled or is a viewer',
    },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const asked = stringFlag(context, 'project')
    const project =
      asked === undefined ? undefined : await withOperator(context, (operator) => projectOption(operator, context))
    await withStore(context, async ({ keys, budgets }) => {
      const [stored, all] = [await keys.list({ project }), await budgets.list()]
      const ownOf = Map.groupBy(all, ({ scope, owner }) => (scope === 'key' ? owner : ''))
      const isWanted = ({ creator = 'active', revokedAt }: StoredKey) => revokedAt === undefined && creator !== 'active'
      const rows = (context.values['stopped'] === true ? stored.filter(isWanted) : stored).map((key) => [
        key.id,
        key.prefix,
        key.name ?? '',
        key.project,
        key.environment,
        day(key.createdAt),
        ownerOf(key),
        state(key, Date.now()),
        ...permissions(key),
        ...KEY_SETTING_NAMES.map((name) => String(key[name] ?? KEY_SETTINGS[name].absent)),
        budgetsText(ownOf.get(key.id)),
        limitsText(key.limits),
      ])
      context.print(
        table(
          [
            'ID',
            'KEY',
            'NAME',
            'PROJECT',
            'ENVIRONMENT',
            'CREATED',
            'OWNER',
            'STATE',
            ...KEY_RIGHT_NAMES.map((name) => name.toUpperCase()),
            ...KEY_SETTING_NAMES.map((name) => name.toUpperCase()),
            'BUDGETS',
            'LIMITS',
          ],
          rows,
        ),
      )
    })
  },
}

export const revokeKey: Command = {
  name: 'keys revoke',
  words: '<id or name>',
  summary: 'revokes an API key; a running gateway rejects it within a second',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('keys revoke takes one id or name. List the keys with `headgate keys list`.')
    await withOperator(context, async ({ accounts, organization }) => {
      const { id } = await storedKeyOf({ accounts, organization }, reference)
      await accounts.revokeKey(OPERATOR, organization, id)
      context.note(`Revoked key ${id}.\n`)
    })
  },
}

export const takeOverKey: Command = {
  name: 'keys take-over',
  words: '<id or name>',
  summary:
    'assigns a key that stopped because its creator left, is disabled or is a viewer to another person, so that it works again',
  options: {
    to: { type: 'string', value: 'id or mail address', help: 'person whose permissions the key has from now on' },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('keys take-over takes one id or name. List these keys with `headgate keys list --stopped`.')
    const to = stringFlag(context, 'to')
    if (to === undefined) throw usageError('keys take-over needs --to. List the users with `headgate users list`.')
    await withOperator(context, async ({ accounts, organization }) => {
      const { id } = await storedKeyOf({ accounts, organization }, reference)
      const person = await findPerson({ accounts }, to)
      await accounts.takeOverKey(OPERATOR, organization, id, { person: person.id })
      context.note(
        `Key ${id} belongs to ${person.id} and works again. Rotate it if its previous owner may still know it.\n`,
      )
    })
  },
}

export const rotateKey: Command = {
  name: 'keys rotate',
  words: '<id or name>',
  summary: 'replaces the secret of a key and prints the new one once; the old one works until the overlap ends',
  options: {
    overlap: {
      type: 'string',
      value: 'time',
      help: 'how long both secrets work: 7d, 30m, 10s, or 0 to end the old one immediately (default 24h)',
    },
    expires: {
      type: 'string',
      value: 'when',
      help: 'new lifetime or expiry date (default: unchanged)',
    },
    'data-dir': dataDirOption,
  },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('keys rotate takes one id or name. List the keys with `headgate keys list`.')
    const overlap = stringFlag(context, 'overlap') ?? '24h'
    const overlapMs = overlap === '0' ? 0 : durationOf(overlap)
    if (overlapMs === undefined)
      throw usageError(`--overlap: found ${JSON.stringify(overlap)}; allowed: 24h, 7d, 30m, 10s or 0`)
    const expires = stringFlag(context, 'expires')
    const expiresAt = expires === undefined ? undefined : expiry(expires, Date.now())
    await withOperator(context, async ({ accounts, organization }) => {
      const { id } = await storedKeyOf({ accounts, organization }, reference)
      const { key } = await accounts.rotateKey(OPERATOR, organization, id, { overlapMs, expiresAt })
      context.print(`${key}\n`)
      const end = overlapMs === 0 ? 'ended now' : `works until ${new Date(Date.now() + overlapMs).toISOString()}`
      context.note(`Rotated key ${id}. The old secret ${end}. The new one is not shown again.\n`)
    })
  },
}

/** Id of the project for a new key; undefined = the first. */
async function projectOption(operator: OperatorAccess, context: CommandContext): Promise<string | undefined> {
  const asked = stringFlag(context, 'project')
  return asked === undefined ? undefined : findProject(await projectsOf(operator), asked).id
}

/** Flags of the fields of {@link RateLimit}. */
const RATES = [
  ['rpm', 'requestsPerMinute'],
  ['tpm', 'tokensPerMinute'],
  ['concurrent', 'concurrent'],
] as const satisfies readonly (readonly [string, keyof RateLimit])[]

const MOST_RATE = 2 ** 31

function limitsOf(context: CommandContext): RateLimit | undefined {
  const limits = RATES.flatMap(([flag, field]) => {
    const text = stringFlag(context, flag)
    if (context.values[flag] === undefined) return []
    const count = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0
    if (count < 1 || count > MOST_RATE)
      throw usageError(`--${flag}: found ${JSON.stringify(text ?? '')}; allowed: a whole number from 1 to ${MOST_RATE}`)
    return [[field, count] as const]
  })
  return limits.length > 0 ? Object.fromEntries(limits) : undefined
}

function settingsOf(context: CommandContext): KeySettings {
  const settings = KEY_SETTING_NAMES.map((name) => {
    if (context.values[name] === undefined) return {}
    const text = stringFlag(context, name) ?? ''
    const setting = settingOf(name, text)
    if (!setting) throw usageError(`--${name}: found ${JSON.stringify(text)}; allowed: ${ALLOWED_SETTINGS[name]}`)
    return setting
  })
  return Object.assign({}, ...settings)
}

function budgetsText(budgets: readonly BudgetStatus[] = []): string {
  return budgets.map(budgetText).join(', ') || 'none'
}

function limitsText(limits: RateLimit = {}): string {
  const said = RATES.flatMap(([flag, field]) => (limits[field] === undefined ? [] : [`${flag} ${limits[field]}`]))
  return said.join(', ') || 'none'
}

/** Unix milliseconds of a lifetime such as `30d`, or of a date. */
function expiry(text: string, now: number): number {
  const length = durationOf(text)
  const at = length === undefined ? timestampOf(text) : now + length
  if (at === undefined)
    throw usageError(`--expires: found ${JSON.stringify(text)}; allowed: 30d, 12h, 45m, or a date such as 2027-01-31`)
  if (at <= now) throw usageError(`--expires: ${text} is in the past`)
  return at
}

function listOf(flag: string, text: unknown): string[] | undefined {
  if (typeof text !== 'string') return undefined
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw usageError(`--${flag} takes names separated by commas, such as a,b*`)
  return names
}

/** Table columns with the rights of a key. */
function permissions(key: StoredKey): string[] {
  return KEY_RIGHT_NAMES.map((name) => key[name]?.join(',') ?? absentText(key, name))
}

function absentText(key: StoredKey, name: KeyRightName): string {
  if (name === 'scopes') return 'none'
  return KEY_RIGHTS[name].absent === 'exclusive' && isRestricted(key) ? 'none' : 'all'
}

/** Help text of a flag from a description: no Markdown, lower case, no final period. */
function helpOf(description: string): string {
  const text = description.replaceAll('`', '').replace(/\.$/, '')
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

/** Owner of a key in the table. `-` = no owner: the key keeps the rights it was given. */
function ownerOf({ createdBy, service }: StoredKey): string {
  return service ? 'service' : (createdBy ?? '-')
}

/** Reasons why a key stopped with its creator. */
const STOPPED = {
  viewer: 'stopped: creator is a viewer',
  disabled: 'stopped: creator is disabled',
  left: 'stopped: creator left',
} as const

function state({ revokedAt, expiresAt, creator = 'active' }: StoredKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${day(revokedAt)}`
  if (creator !== 'active') return STOPPED[creator]
  if (expiresAt === undefined) return 'valid'
  return expiresAt <= now ? `expired ${day(expiresAt)}` : `valid until ${day(expiresAt)}`
}
