import { type Principal, rightsOf } from '@headgate/gateway/ports'
import { authenticate, configuredKeyId, type Store } from '@headgate/store'
import type { Settings } from '../config/settings.ts'
import { usageError } from './command.ts'
import { allKeys, findKey } from './key-reference.ts'

/** Caller with the rights of a configured or stored key. @throws HeadgateError if no valid key has this id or name. */
export async function keyPrincipal(
  { keys }: Pick<Settings, 'keys'>,
  store: Pick<Store, 'keys'>,
  reference: string,
): Promise<Principal> {
  const { id } = findKey(await allKeys({ keys }, store), reference)
  const configured = keys.find(({ key }) => configuredKeyId(key) === id)
  const caller = configured && (await authenticate(store, keys)(configured.key))
  if (caller) return caller
  const stored = await store.keys.get(id)
  const endsAt = Math.min(stored?.revokedAt ?? Number.POSITIVE_INFINITY, stored?.expiresAt ?? Number.POSITIVE_INFINITY)
  if (!stored || endsAt <= Date.now()) throw usageError(`The key ${reference} is expired or revoked.`)
  const { environment, project } = stored
  return { id, ...rightsOf(stored), environment, owners: { project } }
}
