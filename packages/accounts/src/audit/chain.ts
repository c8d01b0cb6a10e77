import { createHash } from 'node:crypto'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'

/** Hash that the first entry of a chain has as the hash of the entry before. */
export const NO_ENTRY = '0'.repeat(64)

/** Place of an entry in its chain. */
export interface ChainPlace {
  /** Sequence number in the chain, from 1 without gaps. */
  readonly number: number
  /** Hash of the entry before; {@link NO_ENTRY} for the first. */
  readonly previous: string
}

/** Stored entry. Times can be numbers. */
export type ChainedEntry = Omit<AccountsRow<'audit'>, 'number' | 'created_at'> & {
  readonly number: bigint | number
  readonly created_at: bigint | number
}

/** Name of the chain of an organization. Entries without an organization have a separate chain. */
export function chainOf(organization: string | null | undefined): string {
  return organization ?? ''
}

/**
 * Canonical text of an entry: a JSON array without white space, as `JSON.stringify` writes it. Absent values are null;
 * `before` and `after` are strings with their stored JSON.
 */
export function canonicalText(entry: ChainedEntry): string {
  return JSON.stringify([
    Number(entry.number),
    entry.previous,
    entry.id,
    Number(entry.created_at),
    entry.organization,
    entry.actor_kind,
    entry.actor,
    entry.session,
    entry.address,
    entry.agent,
    entry.request_id,
    entry.action,
    entry.target,
    entry.before,
    entry.after,
    entry.result,
  ])
}

/** SHA-256 of the canonical text in UTF-8: 64 hexadecimal digits. */
export function entryHash(entry: ChainedEntry): string {
  return createHash('sha256').update(canonicalText(entry)).digest('hex')
}

/**
 * Takes the next place of a chain. The row of the chain stays locked until the transaction ends, so that entries of
 * several nodes become visible in the order of their numbers.
 */
export async function nextPlace(trx: AccountsTransaction, chain: string): Promise<ChainPlace> {
  const { number, hash } = await trx
    .insertInto('audit_chains')
    .values({ organization: chain, number: 1n, hash: NO_ENTRY, first: 1n })
    .onConflict((conflict) =>
      conflict.column('organization').doUpdateSet(({ eb }) => ({ number: eb('audit_chains.number', '+', 1n) })),
    )
    .returning(['number', 'hash'])
    .executeTakeFirstOrThrow()
  return { number: Number(number), previous: hash }
}

/** Sets the hash of the newest entry of a chain. */
export async function setNewest(trx: AccountsTransaction, chain: string, hash: string): Promise<void> {
  await trx.updateTable('audit_chains').set({ hash }).where('organization', '=', chain).execute()
}
