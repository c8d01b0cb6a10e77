import { domainToASCII } from 'node:url'
import { HeadgateError } from '@headgate/gateway/ports'
import { isVisible, storable } from '@headgate/store/sql'
import { isOneScript } from './scripts.ts'

/** Maximum length of names in characters. */
const NAME = 100
/** Maximum length of a mail address (RFC 5321). */
const EMAIL = 254
/** Maximum length of the part before `@` (RFC 5321). */
const LOCAL = 64
/** Maximum length of ids in lookups. Generated ids are shorter. */
const ID = 200

const LOCAL_PART = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u

/** Display name: 1 to 100 characters in one line. @throws HeadgateError `invalid-request`. */
export function nameOf(value: unknown, param = 'name'): string {
  if (typeof value !== 'string') throw wrong(param, `\`${param}\` must be a string.`)
  const name = value.length > EMAIL * 4 ? value : value.trim().normalize('NFC')
  if (name === '' || name.length > NAME) throw wrong(param, `\`${param}\` must have 1 to ${NAME} characters.`)
  if (!isVisible(name))
    throw wrong(
      param,
      `\`${param}\` must not contain invisible characters, or characters that change the direction of the text.`,
    )
  return name
}

/** Normalized mail address, as stored and compared. @throws HeadgateError `invalid-request`. */
export function emailOf(value: unknown, param = 'email'): string {
  const email = normalEmail(value)
  if (email === undefined) throw wrong(param, `\`${param}\` is not a valid mail address.`)
  return email
}

/** Normalized mail address; undefined if invalid. */
export function normalEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > EMAIL) return undefined
  const text = value.trim().normalize('NFC').toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(at, 0)), normalDomain(text.slice(at + 1))]
  if (domain === undefined || local.length > LOCAL || !LOCAL_PART.test(local) || !isPlain(local)) return undefined
  return `${local}@${domain}`
}

/** True if a string is unambiguous: visible, in normal form, in one script. */
function isPlain(text: string): boolean {
  return isVisible(text) && !IGNORABLE.test(text) && text.normalize('NFKC') === text && isOneScript(text)
}

/** Normalized domain; undefined if invalid. */
export function normalDomain(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > EMAIL) return undefined
  const domain = domainToASCII(value.trim().toLowerCase())
  return domain !== '' && domain.length <= EMAIL && DOMAIN.test(domain) ? domain : undefined
}

/** Id from a request, safe for lookups. */
export function idOf(value: unknown): string {
  return typeof value === 'string' ? storable(value.slice(0, ID)) : ''
}

export function wrong(param: string, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}

/** Error for an object that does not exist or belongs to another organization. The caller cannot distinguish these. */
export function missing(what: string): HeadgateError {
  return new HeadgateError('not-found', `There is no such ${what}.`)
}

/** Checks the expected version. @throws HeadgateError 412 if the object has changed. */
export function checkVersion(found: bigint, expected: number | undefined): void {
  if (expected === undefined || Number(found) === expected) return
  throw new HeadgateError('conflict', 'The resource changed since you read it. Read it again.', { status: 412 })
}
