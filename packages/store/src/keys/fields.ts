import {
  definedRights,
  HeadgateError,
  isNetwork,
  KEY_RIGHTS,
  type KeyRightName,
  type KeyRights,
} from '@headgate/gateway/ports'
import { storable } from '../database/group.ts'
import { isVisible } from '../visible.ts'

/** Most entries of a list, and most characters of each. */
const ENTRIES = 1_000
const LONGEST = 512
/** Longest names of keys, in characters. */
const NAME = 200
const ENVIRONMENT = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** How lists are to be: null = as if it had never been said. */
export type RightsChange = { readonly [Name in keyof KeyRights]?: KeyRights[Name] | null | undefined }

/** @throws HeadgateError `invalid-request` that names the field. */
export function nameText(name: string): string | null {
  if (typeof name !== 'string' || name.length > NAME)
    throw wrong('name', `has to be a text of at most ${NAME} characters`)
  if (!isVisible(name))
    throw wrong('name', 'has a character that does not show, or that changes the direction of the text')
  return name === '' ? null : storable(name)
}

/** @throws HeadgateError `invalid-request` for what is no name of an environment. */
export function environmentText(environment: string): string {
  if (ENVIRONMENT.test(environment)) return environment
  throw wrong('environment', 'has to be a name of at most 32 lower-case letters, digits and dashes, such as `staging`')
}

/** An instant in Unix milliseconds. @throws HeadgateError `invalid-request` for what is none. */
export function instant(param: string, at: number): number {
  if (Number.isSafeInteger(at) && at > 0) return at
  throw wrong(param, 'has to be Unix time in milliseconds')
}

/**
 * What a key may do, as it is stored; what is undefined is left out. @throws HeadgateError `invalid-request` that names
 * the field.
 */
export function listColumns(rights: RightsChange): Partial<Record<KeyRightName, string | null>> {
  return definedRights((name) => {
    const entries = rights[name]
    return entries ? listText(name, entries) : entries
  })
}

function listText(name: KeyRightName, entries: readonly string[]): string {
  const isSound =
    Array.isArray(entries) && entries.every((one) => typeof one === 'string' && one !== '' && one.length <= LONGEST)
  if (!isSound || entries.length > ENTRIES)
    throw wrong(name, `has to be a list of at most ${ENTRIES} texts of at most ${LONGEST} characters`)
  const right = KEY_RIGHTS[name]
  // An empty list of these would refuse everything, which nobody means.
  if (entries.length === 0 && right.absent === 'all') throw wrong(name, 'has to name one at least')
  const odd = right.entries === 'networks' ? entries.find((one) => !isNetwork(one)) : undefined
  if (odd !== undefined)
    throw wrong(
      name,
      `has IP addresses and networks, as 192.0.2.7, 192.0.2.0/24 and 2001:db8::/32 are; ${JSON.stringify(odd)} is none`,
    )
  return storable(JSON.stringify(entries))
}

/** @throws HeadgateError `invalid-request` for a service key that acts for a person or manages the gateway. */
export function checkService({
  createdBy,
  scopes,
}: {
  readonly createdBy?: string | undefined
  readonly scopes?: readonly string[] | null | undefined
}): void {
  if (createdBy !== undefined) throw wrong('service', 'belongs to a project: it has no creator')
  if (scopes?.includes('admin'))
    throw wrong('scopes', 'of a service key do not include `admin`: only a key of a person can have it')
}

export function wrong(param: string, what: string): HeadgateError {
  return new HeadgateError('invalid-request', `A key can not be like this: ${param} ${what}.`, { param })
}
