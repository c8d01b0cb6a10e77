import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Accounts, PublicAddress } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway'
import type { Settings } from '../config/settings.ts'
import type { Management } from '../management/management.ts'
import { OPERATOR } from '../management/people.ts'
import { isReached } from './banner.ts'

interface FirstLinkFacts {
  readonly settings: Settings
  readonly management: Pick<Management, 'accounts' | 'address'> | undefined
  /** Prints the link; otherwise the link is written to a file in the data directory. */
  readonly print: boolean
}

/**
 * Text about the first account at the first start: a link that creates it. Empty if an account exists or accounts are
 * disabled.
 */
export async function firstLinkText({ settings, management, print }: FirstLinkFacts): Promise<string> {
  if (!management) return ''
  const { accounts, address } = management
  if (!isReached(settings, address)) return unreachedText(settings)
  const link = await firstLink(accounts, address)
  if (link === undefined) return ''
  if (print) return printedLink(link)
  const file = join(settings.dataDir, 'first-account-link')
  writeFileSync(file, `${link}\n`, { mode: 0o600 })
  return `The link to create the first account is in ${file}. ${LINK_TERMS}\n\n`
}

const LINK_TERMS = 'It works once, for 7 days.'

export function printedLink(link: string): string {
  return `Create the first account with this link. ${LINK_TERMS}\n\n  ${link}\n\n`
}

/** Text at later starts while no account exists. */
export async function noAccountText(settings: Settings, management: FirstLinkFacts['management']): Promise<string> {
  if (!management || (await management.accounts.listPeople(OPERATOR)).length > 0) return ''
  return isReached(settings, management.address)
    ? `There is no account yet. Print a link to create the first one: headgate users first-link${placeText(settings)}\n\n`
    : unreachedText(settings)
}

/** Link to create the first account; undefined if an account exists. */
export async function firstLink(
  accounts: Pick<Accounts, 'firstLink'>,
  { url }: Pick<PublicAddress, 'url'>,
): Promise<string | undefined> {
  try {
    return linkOf(url, 'first', (await accounts.firstLink()).token)
  } catch (error) {
    if (HeadgateError.is(error) && error.kind === 'conflict') return undefined
    throw error
  }
}

/** Link with the token in its fragment, so that neither logs nor `Referer` contain it. */
export function linkOf(url: string, page: 'first' | 'reset' | 'invite', token: string): string {
  return `${url}/#/${page}?token=${token}`
}

/** Flag that names the store in a printed command. */
export function placeText({ dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>): string {
  return databaseUrl === undefined ? ` --data-dir ${JSON.stringify(dataDir)}` : ''
}

function unreachedText(settings: Settings): string {
  return `http://localhost does not lead to ${settings.host}. Set HEADGATE_PUBLIC_URL so that people can sign in, then print a link to create the first account: headgate users first-link${placeText(settings)}\n\n`
}
