import { changeKeyWithin, type StoredKey } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, roleOf } from '../roles/caller.ts'
import { may } from '../roles/roles.ts'
import { inTransaction } from '../transaction.ts'
import { seenKey } from './owned.ts'

/** Traces requests of a key until a time; null = stop tracing. */
export function traceKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  until: number | null,
): Promise<StoredKey> {
  return inTransaction(parts, async (trx, now) => {
    const { reach } = await allow(trx, caller, organization, 'traces.write')
    const before = await seenKey(trx, key, { caller, organization, reach })
    const after = await changeKeyWithin(parts.connection, trx, before.id, { tracedUntil: until })
    if (!after) throw missing('key')
    const facts = ({ tracedUntil }: StoredKey) => (tracedUntil === undefined ? {} : { tracedUntil })
    const act = { action: 'key.trace', target: before.id, organization, before: facts(before), after: facts(after) }
    await note(trx, caller, act, now)
    return after
  })
}

/** Checks that a caller can read traces of a key. Access to keys of other people is recorded in the audit log. */
export function readTraceOf(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  requestId: string,
): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    const { reach } = await allow(trx, caller, organization, 'traces.read')
    const { createdBy } = await seenKey(trx, key, { caller, organization, reach })
    if (caller.kind === 'person' && createdBy === caller.id) return
    await note(trx, caller, { action: 'trace.read', target: requestId, organization, after: { key } }, now)
  })
}

/**
 * True if a caller can read the messages of another person's request, which is then recorded in the audit log. The
 * caller must have checked that the request is visible.
 */
export function readWordsOf(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  requestId: string,
): Promise<boolean> {
  return inTransaction(parts, async (trx, now) => {
    const role = await roleOf(trx, caller, organization)
    if (may(role, 'traces.read') !== 'all') return false
    await note(trx, caller, { action: 'message.read', target: requestId, organization, after: { key } }, now)
    return true
  })
}
