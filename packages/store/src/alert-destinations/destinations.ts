import { HeadgateError } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'

export type DestinationKind = 'webhook' | 'slack' | 'teams' | 'mail'

/** Topics that a destination is alerted about. */
export interface AlertRules {
  /** Shares of budgets that are spent. */
  readonly spend?: boolean | undefined
  /** Percentage of failed requests. */
  readonly errors?: AlertRule | undefined
  /** Time to the first byte in milliseconds, which 5 % of the streamed responses exceed. */
  readonly latency?: AlertRule | undefined
}

/** Limit over the last minutes. */
export interface AlertRule {
  readonly above: number
  readonly minutes: number
}

export type AlertTopic = 'errors' | 'latency'

/** Receiver of alerts. Its address is encrypted. */
export interface AlertDestination {
  readonly id: string
  readonly name: string
  readonly kind: DestinationKind
  readonly sealed: string
  /** Host or mail address, for people. */
  readonly shown: string
  readonly rules: AlertRules
  /** Id of the person who entered it. */
  readonly createdBy?: string | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Number that increases with each change. */
  readonly version: number
}

export async function listDestinations({ db }: Pick<StoreConnection, 'db'>): Promise<readonly AlertDestination[]> {
  const rows = db.selectFrom('alert_destinations').selectAll().orderBy('created_at').orderBy('id')
  return (await rows.execute()).map(destinationOf)
}

/**
 * Stores a destination in place of the earlier one with its id, within a transaction.
 * @throws HeadgateError `conflict` (412) if the current version is not `follows`
 */
export async function setDestinationWithin(
  trx: WriteTransaction,
  given: Omit<AlertDestination, 'version'>,
  follows: number | undefined,
): Promise<{ readonly before: AlertDestination | undefined; readonly after: AlertDestination }> {
  const before = await destinationIn(trx, given.id)
  checkVersion(before, follows)
  const after: AlertDestination = { ...given, version: (before?.version ?? 0) + 1 }
  const values = {
    name: storable(given.name),
    kind: given.kind,
    sealed: given.sealed,
    shown: storable(given.shown),
    rules: JSON.stringify(given.rules),
    created_by: given.createdBy ?? null,
    created_at: BigInt(given.createdAt),
    version: BigInt(after.version),
  }
  await trx
    .insertInto('alert_destinations')
    .values({ id: storable(given.id), ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
  await trx.deleteFrom('alert_firings').where('destination', '=', storable(given.id)).execute()
  return { before, after }
}

/** Removes a destination, within a transaction. Resolves with the removed one; undefined without one. */
export async function removeDestinationWithin(
  trx: WriteTransaction,
  id: string,
  follows: number | undefined,
): Promise<AlertDestination | undefined> {
  const before = await destinationIn(trx, id)
  checkVersion(before, follows)
  await trx.deleteFrom('alert_destinations').where('id', '=', storable(id)).execute()
  await trx.deleteFrom('alert_firings').where('destination', '=', storable(id)).execute()
  return before
}

/** Change of a rule between two checks. */
export interface FiringChange {
  readonly destination: string
  readonly topic: AlertTopic
  /** True if the limit is exceeded. */
  readonly isFiring: boolean
}

/**
 * Stores whether a rule fires. Resolves with true if that has changed: of several processes, exactly one gets true.
 */
export function storeFiring(connection: StoreConnection, change: FiringChange, now: number): Promise<boolean> {
  const { destination, topic, isFiring } = change
  return transact(connection, async (trx) => {
    if (!isFiring) {
      const ended = trx.deleteFrom('alert_firings').where('destination', '=', storable(destination))
      return (await ended.where('topic', '=', topic).returning('topic').execute()).length > 0
    }
    const begun = trx
      .insertInto('alert_firings')
      .values({ destination: storable(destination), topic, since: BigInt(now) })
    const rows = await begun
      .onConflict((conflict) => conflict.columns(['destination', 'topic']).doNothing())
      .returning('topic')
      .execute()
    return rows.length > 0
  })
}

async function destinationIn(trx: WriteTransaction, id: string): Promise<AlertDestination | undefined> {
  const row = await trx.selectFrom('alert_destinations').selectAll().where('id', '=', storable(id)).executeTakeFirst()
  return row && destinationOf(row)
}

function checkVersion(before: AlertDestination | undefined, follows: number | undefined): void {
  if (follows === undefined || follows === (before?.version ?? 0)) return
  throw new HeadgateError('conflict', 'The destination has changed since it was read. Read it again.', { status: 412 })
}

function destinationOf(row: TableRow<'alert_destinations'>): AlertDestination {
  const { id, name, kind, sealed, shown, rules, created_by, created_at, version } = row
  return {
    id,
    name,
    kind: kind as DestinationKind,
    sealed,
    shown,
    rules: JSON.parse(rules),
    createdAt: Number(created_at),
    version: Number(version),
    ...(created_by !== null && { createdBy: created_by }),
  }
}
