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
  /** Whether it may be printed; otherwise it goes into a file of the data directory. */
  readonly print: boolean
}

/**
 * What is said of the first account at the first start: a link that makes it. Empty where there is one, or can be none.
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
  return `The link to the first account is in ${file}. ${LINK_TERMS}\n\n`
}

const LINK_TERMS = 'It works once, within 7 days.'

export function printedLink(link: string): string {
  return `The link to the first account. ${LINK_TERMS}\n\n  ${link}\n\n`
}

/** What is said at every other start while there is no account. */
export async function noAccountText(settings: Settings, management: FirstLinkFacts['management']): Promise<string> {
  if (!management || (await management.accounts.listPeople(OPERATOR)).length > 0) return ''
  return isReached(settings, management.address)
    ? `There is no account yet; this prints a link that makes the first one: headgate users first-link${placeText(settings)}\n\n`
    : unreachedText(settings)
}

/** The link; undefined where there is an account. */
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

/** The token is in the fragment: no log and no `Referer` has it. */
export function linkOf(url: string, page: 'first' | 'reset' | 'invite', token: string): string {
  return `${url}/#/${page}?token=${token}`
}

/** What names the store to a command, besides. */
export function placeText({ dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>): string {
  return databaseUrl === undefined ? ` --data-dir ${JSON.stringify(dataDir)}` : ''
}

function unreachedText(settings: Settings): string {
  return `Nobody reaches ${settings.host} by http://localhost: set HEADGATE_PUBLIC_URL for people to sign in. This prints a link to the first account then: headgate users first-link${placeText(settings)}\n\n`
}
