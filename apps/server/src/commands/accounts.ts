import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Accounts, Person, Project, PublicAddress } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway/ports'
import { findSecretText } from '@headgate/store'
import { loadSettings, placeSettings } from '../config/settings.ts'
import { accountsSettings, OPERATOR, withSignUp } from '../management/people.ts'
import { type CommandContext, flagsOf, type Option, usageError } from './command.ts'
import { findKey, type NamedKey } from './key-reference.ts'

/** People, as a command has them. */
export interface CommandAccounts {
  readonly accounts: Accounts
  /** Where links lead. */
  readonly address: PublicAddress
}

/** What the address of a link has, where nobody has said it. */
export const portOption: Option = {
  type: 'string',
  value: 'number',
  help: 'the port of the gateway that links lead to (PORT; 8787)',
}

/** Opens the accounts for one command, beside a program that may run. */
export async function withAccounts<T>(
  context: CommandContext,
  use: (accounts: CommandAccounts) => Promise<T>,
): Promise<T> {
  const settings = await loadSettings(flagsOf(context.values), context)
  const { config, dataDir, port } = settings
  if (config.accounts === false)
    throw new HeadgateError('invalid-request', 'The configuration has no accounts: `accounts` is false there.')
  const { openAccountsHere, publicAddress } = await import('@headgate/accounts')
  const address = publicAddress(settings, port)
  const opened = await openAccountsHere(
    accountsSettings(settings, findSecretText(context.environment, dataDir), address.origins),
  )
  try {
    return await use({ accounts: await withSignUp(opened, config.accounts), address })
  } finally {
    await opened.close()
  }
}

/** The operator in the first organization: what is done is in its audit log. */
export interface Operator {
  readonly accounts: Accounts
  /** Id of the organization. */
  readonly organization: string
}

/** The same for what is no matter of people: reads no configuration, and needs no secret. */
export async function withOperator<T>(context: CommandContext, use: (operator: Operator) => Promise<T>): Promise<T> {
  const { FIRST_ORGANIZATION, openAccountsHere } = await import('@headgate/accounts')
  const place = { config: {}, ...placeSettings(flagsOf(context.values), context) }
  if (!('databaseUrl' in place)) mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  // Nothing that is sealed is opened or made.
  const accounts = await openAccountsHere(accountsSettings(place, randomBytes(32).toString('base64'), []))
  try {
    return await use({ accounts, organization: FIRST_ORGANIZATION })
  } finally {
    await accounts.close()
  }
}

/** Writes what a command did into the audit log of the first organization, with what it was given. */
export async function recordCommand(
  context: CommandContext,
  act: Omit<Parameters<Accounts['recordAct']>[1], 'organization'>,
): Promise<void> {
  await withOperator(context, ({ accounts, organization }) => accounts.recordAct(OPERATOR, { ...act, organization }))
}

/**
 * The key of the store that has this id, or else this name. @throws HeadgateError where there is none, or more than
 * one.
 */
export async function storedKeyOf({ accounts, organization }: Operator, reference: string): Promise<NamedKey> {
  const keys = await accounts.listKeys(OPERATOR, organization)
  return findKey(
    keys.map(({ id, name, revokedAt }) => ({ id, name, ...(revokedAt !== undefined && { revokedAt }) })),
    reference,
  )
}

/** The person who has this id or mail address. @throws HeadgateError where there is none. */
export async function findPerson({ accounts }: Pick<CommandAccounts, 'accounts'>, reference: string): Promise<Person> {
  const wanted = reference.trim().toLowerCase()
  const found = (await accounts.listPeople(OPERATOR)).find(({ id, email }) => id === reference || email === wanted)
  if (!found)
    throw usageError(
      `Nobody has the id or mail address ${JSON.stringify(reference)}: \`headgate users list\` shows them.`,
    )
  return found
}

/** The projects of the first organization; none where there is nobody yet. */
export async function projectsOf({ accounts }: Pick<CommandAccounts, 'accounts'>): Promise<readonly Project[]> {
  const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
  return accounts.listProjects(OPERATOR, FIRST_ORGANIZATION)
}

/** The project that has this id, or else this name, archived ones by their id alone; undefined where there is none. */
export function projectIn(projects: readonly Project[], reference: string): Project | undefined {
  return (
    projects.find(({ id }) => id === reference) ??
    projects.find(({ name, archivedAt }) => name === reference && archivedAt === undefined)
  )
}

/** @throws HeadgateError where there is no such project. */
export function findProject(projects: readonly Project[], reference: string): Project {
  const found = projectIn(projects, reference)
  if (found) return found
  const known = projects.flatMap(({ name, archivedAt }) => (archivedAt === undefined ? [name] : []))
  throw usageError(
    known.length > 0
      ? `There is no project ${JSON.stringify(reference)}; there are: ${known.join(', ')}.`
      : `There is no project ${JSON.stringify(reference)}: the first account brings one, \`headgate users add\` or \`headgate users first-link\`.`,
  )
}
