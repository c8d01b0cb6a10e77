import { uuidv7 } from '@headgate/gateway/ports'
import { storable } from '@headgate/store/sql'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { Row, Writing } from '../schema/tables.ts'

/** What somebody did. */
export interface Act {
  /** `member.role`: what, and how. */
  readonly action: string
  /** Id of what was changed. */
  readonly target?: string | undefined
  readonly organization?: string | undefined
  /** What it was, and what it became: without secrets. */
  readonly before?: Facts | undefined
  readonly after?: Facts | undefined
  /** Default `done`. */
  readonly result?: 'done' | 'refused'
}

export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** A line of the audit log. */
export interface AuditEntry extends Omit<Act, 'result'> {
  /** UUIDv7. */
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly actor: { readonly kind: string; readonly id?: string }
  readonly session?: string
  readonly address?: string
  readonly agent?: string
  readonly requestId?: string
  readonly result: string
}

export interface AuditQuery {
  /** Entries before this one, by its id. */
  readonly before?: string
  /** Default 50, at most 500. */
  readonly limit?: number
  /** Whoever has this id, or is of this kind: `person`, `key`, `system`, `nobody`. */
  readonly actor?: string
  /** `key.create`, or what it begins with: `key`. */
  readonly action?: string
  /** Id of what was changed. */
  readonly target?: string
  /** Unix milliseconds: from then on, and before. */
  readonly from?: number
  readonly to?: number
}

/** Longest text of an origin, in characters. */
const LONGEST = 200
const PAGE = { usual: 50, most: 500 }

/** Writes down what somebody did, in the transaction that does it. */
export async function note(trx: Writing, caller: Caller, act: Act, now: number): Promise<void> {
  const { action, target, organization, before, after, result = 'done' } = act
  await trx
    .insertInto('audit')
    .values({
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
    })
    .execute()
}

/** What was done in an organization, newest first. */
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
    // What begins with it and a point: a slash is right after the point.
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

function entryOf(row: Row<'audit'>): AuditEntry {
  const { id, action, target, organization, session, address, agent, before, after, result } = row
  return {
    id,
    at: Number(row.created_at),
    actor: { kind: row.actor_kind, ...(row.actor !== null && { id: row.actor }) },
    action,
    result,
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

/** What a caller says of itself, as it is kept. */
export function text(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : storable(value.slice(0, LONGEST))
}
