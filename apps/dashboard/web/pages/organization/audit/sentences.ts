import { duration } from '../../../formats/durations.ts'
import { fullTime } from '../../../formats/times.ts'
import type { AuditLogEntry } from './audit.ts'

type AuditedAct = Pick<AuditLogEntry, 'action' | 'target' | 'before' | 'after'>
type Fields = Readonly<Record<string, unknown>>

interface Facts {
  /** Name of the target. */
  readonly target: string
  readonly before: Fields
  readonly after: Fields
}

type Sentence = (facts: Facts) => string

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
/** Name before or after a change, else the name of the target. */
const named = ({ target, before, after }: Facts): string => text(after['name']) || text(before['name']) || target
const simple =
  (verb: string, noun: string): Sentence =>
  (facts) =>
    `${verb} ${noun} ${named(facts)}`.trim()

/** Sentences about actions, without the actor. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  'organization.create': simple('Created organization', ''),
  'organization.change': () => 'Changed the organization',
  'organization.export': () => 'Exported the organization',
  'organization.remove': simple('Deleted organization', ''),
  'member.join': ({ target, after }) => `${target} joined${after['role'] ? ` as ${text(after['role'])}` : ''}`,
  'member.role': ({ target, before, after }) =>
    `Changed the role of ${target} from ${text(before['role'])} to ${text(after['role'])}`,
  'member.remove': ({ target }) => `Removed ${target} from the organization`,
  'invite.create': ({ after }) =>
    `Invited ${text(after['email']) || 'anyone with the link'}${after['role'] ? ` as ${text(after['role'])}` : ''}`,
  'invite.revoke': ({ before }) => `Revoked the invitation of ${text(before['email']) || 'anyone with the link'}`,
  'project.create': simple('Created', 'project'),
  'project.change': simple('Changed', 'project'),
  'key.create': simple('Created', 'key'),
  'key.change': simple('Changed', 'key'),
  'key.revoke': simple('Revoked', 'key'),
  'key.take-over': simple('Took over', 'key'),
  'key.rotate': (facts) => {
    const overlap = Number(facts.after['overlapMs'] ?? 0)
    const rest = overlap > 0 ? `the old secret works for another ${duration(overlap)}` : 'the old secret ended'
    return `Rotated key ${named(facts)}; ${rest}`
  },
  'key.trace': (facts) => {
    const until = facts.after['tracedUntil']
    if (typeof until !== 'number') return `Stopped recording key ${named(facts)}`
    return `Recorded key ${named(facts)} until ${fullTime(until)}`
  },
  'budget.create': simple('Created', 'budget'),
  'budget.change': simple('Changed', 'budget'),
  'budget.remove': simple('Removed', 'budget'),
  'budget.reset': simple('Reset', 'budget'),
  'budget.release': ({ after }) => `Released the amount held for request ${text(after['request'])}`,
  'budget.orphaned': ({ target, after }) =>
    `${after['end'] === 'free' ? 'Freed' : 'Counted as spent'} the leases of process ${target}`,
  'alert.add': simple('Added', 'alert destination'),
  'alert.change': simple('Changed', 'alert destination'),
  'alert.remove': simple('Removed', 'alert destination'),
  'alert.test': () => 'Sent a test alert',
  'statement.mail': ({ target, after }) => `Mailed the statement of ${text(after['month'])} to ${target}`,
  'price.set': ({ target }) => `Set the price of ${target}`,
  'price.remove': ({ target }) => `Restored the default price of ${target}`,
  'price.apply': ({ target, after }) => `Priced ${text(after['requests'])} requests of ${target} that had no price`,
  'credential.set': ({ target }) => `Entered the credential of provider ${target}`,
  'credential.remove': ({ target }) => `Removed the credential of provider ${target}`,
  'trace.read': ({ target }) => `Read the recorded request ${target}`,
  'message.read': ({ target }) => `Read the error messages of request ${target}`,
  'usage.export': () => 'Exported usage',
  'audit.export': () => 'Exported the audit log',
  'person.create': simple('Created', 'account'),
  'person.rename': ({ before, after }) => `Changed their name from ${text(before['name'])} to ${text(after['name'])}`,
  'person.password': () => 'Changed a password',
  'person.reset-link': ({ target }) => `Created a link to a new password for ${target}`,
  'person.disable': simple('Disabled', 'account'),
  'person.enable': simple('Enabled', 'account'),
  'person.remove': simple('Deleted', 'account'),
  'session.create': () => 'Signed in',
  'session.confirm': () => 'Confirmed their identity',
  'session.end': () => 'Signed out',
  'session.end-others': () => 'Signed out all other sessions',
  'passkey.add': simple('Added', 'passkey'),
  'passkey.rename': simple('Renamed', 'passkey'),
  'passkey.remove': simple('Removed', 'passkey'),
  'identity.add': () => 'Linked an identity provider',
  'identity.remove': () => 'Unlinked an identity provider',
  'sign-up.request': () => 'Requested an account',
  'access.refuse': () => 'Was refused',
}

/**
 * Sentence about an entry, without its actor: `Rotated key web-prod; the old secret works for another 24 h`. An unknown
 * action is shown by its name.
 */
export function sentenceOf(
  { action, target = '', before = {}, after = {} }: AuditedAct,
  names: ReadonlyMap<string, string>,
): string {
  // Names of keys begin with their kind.
  const name = (names.get(target) ?? target).replace(/^key /, '')
  const sentence = SENTENCES[action]
  if (!sentence) return target === '' ? action : `${action} ${name}`
  return sentence({ target: name, before, after }).trim()
}
