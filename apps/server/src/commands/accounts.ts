import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Accounts, Person, Project, PublicAddress } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway/ports'
import { findSecretText } from '@headgate/store'
import { loadSettings, placeSettings } from '../config/settings.ts'
import { accountsSettings, OPERATOR, withSignUp } from '../management/people.ts'
import { runningPort } from '../service/running-address.ts'
import { type CommandContext, flagsOf, type Option, usageError } from './command.ts'
import { findKey, type NamedKey } from './key-reference.ts'

/** Accounts and public address for a command. */
export interface CommandAccounts {
  readonly accounts: Accounts
  /** Base address of links. */
  readonly address: PublicAddress
}

/** Port of the gateway in printed links, if no public address is configured. */
export const portOption: Option = {
  type: 'string',
  value: 'number',
  help: 'port of the gateway in the printed link (default: of the running gateway, else env PORT or 8787)',
}

/** Opens the accounts for one command. A gateway can run at the same time. */
export async function withAccounts<T>(
  context: CommandContext,
  use: (accounts: CommandAccounts) => Promise<T>,
): Promise<T> {
  const settings = await loadSettings(flagsOf(context.values), context)
  const { config, dataDir, port } = settings
  if (config.accounts === false)
    throw new HeadgateError('invalid-request', 'Accounts are disabled: `accounts` is false in the configuration.')
  const { openAccountsHere, publicAddress } = await import('@headgate/accounts')
  // Without `--port`, links lead to the gateway that runs with this data directory.
  const running = context.values['port'] === undefined ? await runningPort(dataDir) : undefined
  const address = publicAddress(settings, running ?? port)
  const opened = await openAccountsHere(
    accountsSettings(settings, findSecretText(context.environment, dataDir), address.origins),
  )
  try {
    return await use({ accounts: await withSignUp(opened, config.accounts), address })
  } finally {
    await opened.close()
  }
}

/** Operator access to the first organization. Its audit log records every action. */
export interface OperatorAccess {
  readonly accounts: Accounts
  /** Id of the organization. */
  readonly organization: string
}

/** Opens the accounts for a command about keys, projects or budgets. Reads no configuration and needs no secret. */
export async function withOperator<T>(
  context: CommandContext,
  use: (operator: OperatorAccess) => Promise<T>,
): Promise<T> {
  const { FIRST_ORGANIZATION, openAccountsHere } = await import('@headgate/accounts')
  const place = { config: {}, ...placeSettings(flagsOf(context.values), context) }
  if (!('databaseUrl' in place)) mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  // Nothing is sealed or unsealed here, so a random secret is enough.
  const accounts = await openAccountsHere(accountsSettings(place, randomBytes(32).toString('base64'), []))
  try {
    return await use({ accounts, organization: FIRST_ORGANIZATION })
  } finally {
    await accounts.close()
  }
}

/** Records a command and its arguments in the audit log of the first organization. */
export async function recordCommand(
  context: CommandContext,
  act: Omit<Parameters<Accounts['recordAct']>[1], 'organization'>,
): Promise<void> {
  await withOperator(context, ({ accounts, organization }) => accounts.recordAct(OPERATOR, { ...act, organization }))
}

/** Stored key with this id, or else this name. @throws HeadgateError if no key, or more than one, matches. */
export async function storedKeyOf({ accounts, organization }: OperatorAccess, reference: string): Promise<NamedKey> {
  const keys = await accounts.listKeys(OPERATOR, organization)
  return findKey(
    keys.map(({ id, name, revokedAt }) => ({ id, name, ...(revokedAt !== undefined && { revokedAt }) })),
    reference,
  )
}

/** Person with this id or mail address. @throws HeadgateError if no person matches. */
export async function findPerson({ accounts }: Pick<CommandAccounts, 'accounts'>, reference: string): Promise<Person> {
  const wanted = reference.trim().toLowerCase()
  const found = (await accounts.listPeople(OPERATOR)).find(({ id, email }) => id === reference || email === wanted)
  if (!found)
    throw usageError(
      `No user has the id or mail address ${JSON.stringify(reference)}. List the users with \`headgate users list\`.`,
    )
  return found
}

/** Projects of the first organization; empty until the first account exists. */
export async function projectsOf({ accounts }: Pick<CommandAccounts, 'accounts'>): Promise<readonly Project[]> {
  const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
  return accounts.listProjects(OPERATOR, FIRST_ORGANIZATION)
}

/** Project with this id, or else this name; archived projects match by id only. */
export function projectIn(projects: readonly Project[], reference: string): Project | undefined {
  return (
    projects.find(({ id }) => id === reference) ??
    projects.find(({ name, archivedAt }) => name === reference && archivedAt === undefined)
  )
}

/** @throws HeadgateError if no project matches. */
export function findProject(projects: readonly Project[], reference: string): Project {
  const found = projectIn(projects, reference)
  if (found) return found
  const known = projects.flatMap(({ name, archivedAt }) => (archivedAt === undefined ? [name] : []))
  throw usageError(
    known.length > 0
      ? `There is no project ${JSON.stringify(reference)}. Projects: ${known.join(', ')}.`
      : `There is no project ${JSON.stringify(reference)}. The first account creates one: run \`headgate users add\` or \`headgate users first-link\`.`,
  )
}
