import { uuidv7 } from '@headgate/gateway/ports'
import { storable } from '@headgate/store/sql'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { chainOf, entryHash, nextPlace, setNewest } from './chain.ts'

/** Recorded action. */
export interface Act {
  /** Action, such as `member.role`. */
  readonly action: string
  /** Id of the changed object. */
  readonly target?: string | undefined
  readonly organization?: string | undefined
  /** State before the change, without secrets. */
  readonly before?: AuditFacts | undefined
  /** State after the change, without secrets. */
  readonly after?: AuditFacts | undefined
  /** Default: `done`. */
  readonly result?: 'done' | 'refused'
}

export type AuditFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** Entry of the audit log. */
export interface AuditEntry extends Omit<Act, 'result'> {
  /** Id as UUIDv7. */
  readonly id: string
  /** Time in Unix milliseconds. */
  readonly at: number
  readonly actor: { readonly kind: string; readonly id?: string }
  readonly session?: string
  readonly address?: string
  readonly agent?: string
  readonly requestId?: string
  readonly result: string
  /** Sequence number in the organization, from 1 without gaps. */
  readonly number: number
  /** SHA-256 of the entry before, in hexadecimal digits; zeros for the first. */
  readonly previousHash: string
  /** SHA-256 of this entry, in hexadecimal digits. */
  readonly hash: string
}

export interface AuditQuery {
  /** Id of an entry; only earlier entries are returned. */
  readonly before?: string
  /** Default: 50, maximum: 500. */
  readonly limit?: number
  /** Id of an actor, or its kind: `person`, `key`, `system`, `anonymous`. */
  readonly actor?: string
  /** Action such as `key.create`, or its prefix `key`. */
  readonly action?: string
  /** Id of the changed object. */
  readonly target?: string
  /** Start of the time range (inclusive), in Unix milliseconds. */
  readonly from?: number
  /** End of the time range (exclusive), in Unix milliseconds. */
  readonly to?: number
}

/** Maximum length of stored client strings in characters. */
const LONGEST = 200
const PAGE = { usual: 50, most: 500 }

/** Records an action in the transaction that performs it, at the end of its organization's chain. */
export async function note(trx: AccountsTransaction, caller: Caller, act: Act, now: number): Promise<void> {
  const { action, target, organization, before, after, result = 'done' } = act
  const chain = chainOf(organization)
  const { number, previous } = await nextPlace(trx, chain)
  const entry = {
    id: uuidv7(now),
    created_at: now,
    organization: organization ?? null,
    actor_kind: caller.kind,
    actor: 'id' in caller ? caller.id : null,
    session: 'session' in caller ? caller.session : null,
    address: text(caller.address),
    agent: text(caller.agent),
    request_id: text(caller.requestId),
    action,
    target: target === undefined ? null : storable(target),
    before: before ? JSON.stringify(before) : null,
    after: after ? JSON.stringify(after) : null,
    result,
    number,
    previous,
  }
  await trx.insertInto('audit').values(entry).execute()
  await setNewest(trx, chain, entryHash(entry))
}

/** Audit entries of an organization, newest first. */
export async function auditPage(
  { connection }: Parts,
  caller: Caller,
  organization: string,
  { before, limit = PAGE.usual, actor, action, target, from, to }: AuditQuery = {},
): Promise<readonly AuditEntry[]> {
  await allow(connection.db, caller, organization, 'audit.read')
  const most = Number.isInteger(limit) ? Math.min(Math.max(limit, 1), PAGE.most) : PAGE.usual
  let query = connection.db.selectFrom('audit').selectAll().where('organization', '=', organization)
  if (before !== undefined) query = query.where('id', '<', storable(String(before)))
  if (actor !== undefined) {
    const who = storable(actor)
    query = query.where((where) => where.or([where('actor', '=', who), where('actor_kind', '=', who)]))
  }
  if (action !== undefined) {
    const whole = storable(action)
    // Actions with this prefix and a period. A slash directly follows the period in ASCII.
    query = query.where((where) =>
      where.or([
        where('action', '=', whole),
        where.and([where('action', '>', `${whole}.`), where('action', '<', `${whole}/`)]),
      ]),
    )
  }
  if (target !== undefined) query = query.where('target', '=', storable(target))
  if (from !== undefined) query = query.where('created_at', '>=', BigInt(from))
  if (to !== undefined) query = query.where('created_at', '<', BigInt(to))
  return (await query.orderBy('id', 'desc').limit(most).execute()).map(entryOf)
}

/** Entry of a stored row. */
export function entryOf(row: AccountsRow<'audit'>): AuditEntry {
  const { id, action, target, organization, session, address, agent, before, after, result } = row
  return {
    id,
    at: Number(row.created_at),
    actor: { kind: row.actor_kind, ...(row.actor !== null && { id: row.actor }) },
    action,
    result,
    number: Number(row.number),
    previousHash: row.previous,
    hash: entryHash(row),
    ...(organization !== null && { organization }),
    ...(target !== null && { target }),
    ...(session !== null && { session }),
    ...(address !== null && { address }),
    ...(agent !== null && { agent }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(before !== null && { before: JSON.parse(before) }),
    ...(after !== null && { after: JSON.parse(after) }),
  }
}

/** Client-supplied string as stored. */
export function text(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : storable(value.slice(0, LONGEST))
}
