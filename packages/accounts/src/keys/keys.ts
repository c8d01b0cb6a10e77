import { HeadgateError } from '@headgate/gateway/ports'
import type { IssuedKey, KeyChange, NewKey, Rotation, StoredKey } from '@headgate/store/sql'
import {
  changeKeyWithin,
  createKeyWithin,
  listKeys as keysOf,
  readSetting,
  revokeKeyWithin,
  rotateKeyWithin,
} from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { checkVersion, missing } from '../database/input.ts'
import { boundedTerms, keyDefaultsOf, latestExpiry } from '../organizations/key-defaults.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkStrong, personBehind } from '../roles/caller.ts'
import { type Action, may } from '../roles/roles.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { factsOfKey, isSeen, type KeyVisibility, projectFor, projectsOf, seenKey } from './owned.ts'

/** Scope with more permissions than calling models. Granting it requires the scope `all` and a recent sign-in. */
const ADMIN = 'admin'

export interface KeyVersioned {
  /** Expected version. Any other version is a conflict. */
  readonly version?: number | undefined
}

/** Visible keys in order of creation, including revoked ones. */
export async function listKeys(
  { connection }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly StoredKey[]> {
  const { reach } = await allow(connection.db, caller, organization, 'keys.read')
  const sight: KeyVisibility = { caller, organization, reach }
  const projects = await projectsOf(connection.db, organization)
  const own = reach === 'own' && caller.kind === 'person' ? { createdBy: caller.id } : {}
  return (await keysOf(connection, own)).filter((key) => isSeen(key, projects, sight))
}

export function readKey(parts: Parts, caller: Caller, organization: string, key: string): Promise<StoredKey> {
  return inTransaction(parts, async (trx) => seenKey(trx, key, await sightOf(trx, caller, organization, 'keys.read')))
}

/** Creates a key of the caller, or a service key of a project. The key itself is returned only here. */
export function createKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  given: Omit<NewKey, 'createdBy'>,
): Promise<IssuedKey> {
  return inTransaction(parts, async (trx, now) => {
    const sight = await sightOf(trx, caller, organization, 'keys.write')
    if (given.service && sight.reach !== 'all') throw above('service')
    await checkMay(trx, sight, given, now)
    const project = await projectFor(trx, organization, given.project)
    const zone = (await readSetting({ ...parts.connection, db: trx }, 'zone')) ?? 'UTC'
    const createdBy = given.service ? undefined : personBehind(caller)
    const defaults = sight.reach === 'all' ? {} : await keyDefaultsOf(trx, organization)
    const terms = { ...given, ...boundedTerms(defaults, given.expiresAt, now), project, createdBy }
    const made = await createKeyWithin(parts.connection, trx, terms, { now, zone })
    await note(
      trx,
      caller,
      { action: 'key.create', target: made.stored.id, organization, after: factsOfKey(made.stored) },
      now,
    )
    return made
  })
}

/** Changes a key: undefined fields stay unchanged, null removes a field. */
export function changeKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  { version, ...change }: KeyChange & KeyVersioned,
): Promise<StoredKey> {
  return inTransaction(parts, async (trx, now) => {
    const sight = await sightOf(trx, caller, organization, 'keys.write')
    const before = await seenKey(trx, key, sight)
    await checkMay(trx, sight, change, now)
    if (before.scopes?.includes(ADMIN)) checkSensitive(sight, before, now)
    if (sight.reach !== 'all') await checkExpiry(trx, organization, before, change.expiresAt)
    const after = await changeKeyWithin(parts.connection, trx, before.id, { ...change, version })
    if (!after) throw missing('key')
    const act = {
      action: 'key.change',
      target: before.id,
      organization,
      before: factsOfKey(before),
      after: factsOfKey(after),
    }
    await note(trx, caller, act, now)
    return after
  })
}

/** Replaces the secret of a key; the old one works until the overlap ends. */
export function rotateKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  rotation: Rotation,
): Promise<IssuedKey> {
  return inTransaction(parts, async (trx, now) => {
    const sight = await sightOf(trx, caller, organization, 'keys.write')
    const before = await seenKey(trx, key, sight)
    if (before.scopes?.includes(ADMIN)) checkSensitive(sight, before, now)
    const made = await rotateKeyWithin(parts.connection, trx, before.id, rotation, { now })
    if (!made) throw missing('key')
    const after = { ...factsOfKey(made.stored), overlapMs: rotation.overlapMs }
    await note(
      trx,
      caller,
      { action: 'key.rotate', target: before.id, organization, before: factsOfKey(before), after },
      now,
    )
    return made
  })
}

/** Revokes a key permanently. A second call changes nothing. */
export function revokeKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  { version }: KeyVersioned = {},
): Promise<StoredKey> {
  return inTransaction(parts, async (trx, now) => {
    const before = await seenKey(trx, key, await sightOf(trx, caller, organization, 'keys.write'))
    if (before.revokedAt !== undefined) return before
    checkVersion(BigInt(before.version), version)
    const after = await revokeKeyWithin(parts.connection, trx, before.id, { now })
    if (!after) throw missing('key')
    await note(trx, caller, { action: 'key.revoke', target: before.id, organization, before: factsOfKey(before) }, now)
    return after
  })
}

async function sightOf(
  trx: AccountsTransaction,
  caller: Caller,
  organization: string,
  action: Action,
): Promise<KeyVisibility> {
  const { reach } = await allow(trx, caller, organization, action)
  return { caller, organization, reach }
}

type Rights = Pick<NewKey, 'budgets'> & Pick<KeyChange, 'scopes' | 'limits' | 'class' | 'weight'>

/**
 * Checks that the caller grants no more than their own permissions. @throws HeadgateError `forbidden` that names the
 * field.
 */
async function checkMay(
  trx: AccountsTransaction,
  sight: KeyVisibility,
  { scopes, budgets, ...others }: Rights,
  now: number,
): Promise<void> {
  const { role } = await allow(trx, sight.caller, sight.organization, 'keys.write')
  if (scopes && scopes.length > 0 && sight.reach !== 'all') throw above('scopes')
  for (const name of ['limits', 'class', 'weight'] as const)
    if (others[name] !== undefined && may(role, 'budgets.write') !== 'all') throw above(name)
  if (budgets !== undefined && may(role, 'budgets.write') !== 'all') throw above('budgets')
  if (scopes?.includes(ADMIN)) checkStrong(sight.caller, now)
}

/** @throws HeadgateError `forbidden` if the organization has keys of members expire earlier. */
async function checkExpiry(
  trx: AccountsTransaction,
  organization: string,
  { createdAt }: StoredKey,
  expiresAt: number | null | undefined,
): Promise<void> {
  if (expiresAt === undefined) return
  const latest = latestExpiry(await keyDefaultsOf(trx, organization), createdAt)
  if (latest === undefined || (expiresAt !== null && expiresAt <= latest)) return
  throw above('expiresAt')
}

/** Checks a change to a key with admin permissions. A key can rotate itself. */
function checkSensitive({ caller }: KeyVisibility, key: StoredKey, now: number): void {
  if (caller.kind === 'key' && caller.id === key.id) return
  checkStrong(caller, now)
}

function above(param: string): HeadgateError {
  return new HeadgateError(
    'forbidden',
    `Your role cannot set \`${param}\` of keys. Contact an admin of the organization.`,
    { param },
  )
}
