import { domainToASCII } from 'node:url'
import { HeadgateError } from '@headgate/gateway/ports'
import { isVisible, storable } from '@headgate/store/sql'
import { isOneScript } from './scripts.ts'

/** Longest names, in characters. */
const NAME = 100
/** Longest mail address, and what is before its `@` (RFC 5321). */
const EMAIL = 254
const LOCAL = 64
/** Longest id that is looked up; none that is longer was made here. */
const ID = 200

const LOCAL_PART = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u

/** A name that people read: 1 to 100 characters in one line. @throws HeadgateError `invalid-request`. */
export function nameOf(value: unknown, param = 'name'): string {
  if (typeof value !== 'string') throw wrong(param, `\`${param}\` is a text.`)
  const name = value.length > EMAIL * 4 ? value : value.trim().normalize('NFC')
  if (name === '' || name.length > NAME) throw wrong(param, `\`${param}\` has 1 to ${NAME} characters.`)
  if (!isVisible(name))
    throw wrong(param, `\`${param}\` has a character that does not show, or that changes the direction of the text.`)
  return name
}

/** A mail address in the one form in which it is kept and compared. @throws HeadgateError `invalid-request`. */
export function emailOf(value: unknown, param = 'email'): string {
  const email = normalEmail(value)
  if (email === undefined) throw wrong(param, `\`${param}\` is no mail address.`)
  return email
}

/** The same, undefined for what is none. */
export function normalEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > EMAIL) return undefined
  const text = value.trim().normalize('NFC').toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(at, 0)), normalDomain(text.slice(at + 1))]
  if (domain === undefined || local.length > LOCAL || !LOCAL_PART.test(local) || !isPlain(local)) return undefined
  return `${local}@${domain}`
}

/** Whether a text reads as one thing only: all of it shows, in its usual form, in one script. */
function isPlain(text: string): boolean {
  return isVisible(text) && !IGNORABLE.test(text) && text.normalize('NFKC') === text && isOneScript(text)
}

/** A domain as mail addresses have it here; undefined for what is none. */
export function normalDomain(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > EMAIL) return undefined
  const domain = domainToASCII(value.trim().toLowerCase())
  return domain !== '' && domain.length <= EMAIL && DOMAIN.test(domain) ? domain : undefined
}

/** An id that somebody gave, as it can be looked up. */
export function idOf(value: unknown): string {
  return typeof value === 'string' ? storable(value.slice(0, ID)) : ''
}

export function wrong(param: string, message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param })
}

/** There is none, or it is another organization's: nobody learns which. */
export function missing(what: string): HeadgateError {
  return new HeadgateError('not-found', `There is no such ${what}.`)
}

/** Somebody has changed it since it was read. */
export function checkVersion(found: bigint, expected: number | undefined): void {
  if (expected === undefined || Number(found) === expected) return
  throw new HeadgateError('conflict', 'It has been changed since you read it. Read it again.', { status: 412 })
}
