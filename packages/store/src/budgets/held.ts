import { HeadgateError } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays } from '../database/day-zones.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import { releaseOf } from '../usage/correction.ts'
import type { LedgerRow } from '../usage/row.ts'
import { countedOf } from '../usage/stored-spends.ts'
import { writeWithin } from '../usage/write.ts'
import { smaller } from './amounts.ts'

/** Request with an unknown cost, and its held amount. */
export interface HeldAmount {
  /** Id of its usage row. */
  readonly id: string
  readonly requestId: string
  /** Id of the key. */
  readonly principal: string
  /** Start of the request, Unix milliseconds. */
  readonly at: number
  readonly model: string
  readonly provider: string
  readonly providerModel: string
  /** Reason as in its usage row: `failed`, `canceled`, `lost`; `unknown` for the lease of a lost process run. */
  readonly why: string
  /** Nano-dollars that are still held, after corrections. */
  readonly held: bigint
  /** Lost process run whose lease is held; absent for requests. */
  readonly lost?: LostLease | undefined
}

/** Lease of a process run without a heartbeat. */
export interface LostLease {
  readonly run: string
  /** Host name of its machine. */
  readonly node: string
  /** Last heartbeat, Unix milliseconds. */
  readonly since: number
  /** Id and name of the budget. */
  readonly budget: string
  readonly name: string
  /** Window id, such as `2026-11@Europe/Berlin`. */
  readonly window: string
}

export interface HeldQuery {
  /** Id of a key; default all. */
  readonly principal?: string | undefined
  /** Name of a provider; default all. */
  readonly provider?: string | undefined
  /** Start of the range in Unix milliseconds, inclusive. `to` is exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Maximum number of amounts; default 1,000. */
  readonly limit?: number | undefined
}

const MOST = 1_000

/** Held amounts, newest first. */
export async function heldAmounts(
  { db }: Pick<StoreConnection, 'db'>,
  { principal, provider, from, to, limit = MOST }: HeldQuery = {},
): Promise<HeldAmount[]> {
  const rows = await heldRows(db)
    .$if(principal !== undefined, (query) => query.where('u.principal', '=', storable(principal ?? '')))
    .$if(provider !== undefined, (query) => query.where('u.provider', '=', storable(provider ?? '')))
    .$if(from !== undefined, (query) => query.where('u.at', '>=', BigInt(from ?? 0)))
    .$if(to !== undefined, (query) => query.where('u.at', '<', BigInt(to ?? 0)))
    .limit(limit)
    .execute()
  return rows.map(amountIn)
}

function heldRows(db: WriteTransaction | StoreConnection['db']) {
  return db
    .selectFrom('usage as u')
    .leftJoin('budget_leases as l', (join) => join.onRef('l.lost_row', '=', 'u.id').onRef('l.lost_at', '=', 'u.at'))
    .leftJoin('process_runs as r', 'r.id', 'l.run')
    .leftJoin('budgets as b', 'b.id', 'l.budget')
    .select([
      'l.run as lost_run',
      'l.budget as lost_budget',
      'l.win as lost_win',
      'r.node as lost_node',
      'r.seen_at as lost_since',
      'b.name as lost_name',
    ])
    .select([
      'u.id',
      'u.request_id',
      'u.principal',
      'u.at',
      'u.model',
      'u.provider',
      'u.provider_model',
      'u.why',
      'u.held',
    ])
    .select((of) =>
      of
        .selectFrom('usage as c')
        .select(({ fn }) => fn.sum<bigint | string | null>('c.held').as('sum'))
        .whereRef('c.at', '=', 'u.at')
        .whereRef('c.corrects', '=', 'u.id')
        .as('corrected'),
    )
    .where('u.held', '>', 0n)
    .where((is) =>
      is(
        'u.held',
        '>',
        is
          .selectFrom('usage as c')
          .select(({ fn, lit, neg, parens }) => neg(parens(fn.coalesce(fn.sum<bigint>('c.held'), lit(0)))).as('sum'))
          .whereRef('c.at', '=', 'u.at')
          .whereRef('c.corrects', '=', 'u.id'),
      ),
    )
    .orderBy('u.at', 'desc')
    .orderBy('u.id', 'desc')
}

type HeldRow = Awaited<ReturnType<ReturnType<typeof heldRows>['execute']>>[number]

function amountIn(row: HeldRow): HeldAmount {
  const { id, principal, model, provider, why, held, corrected } = row
  return {
    id,
    requestId: row.request_id,
    principal,
    at: Number(row.at),
    model,
    provider,
    providerModel: row.provider_model,
    why,
    held: (held ?? 0n) + BigInt(corrected ?? 0),
    ...lostIn(row),
  }
}

function lostIn({ lost_run, lost_budget, lost_win, ...row }: HeldRow): Pick<HeldAmount, 'lost'> {
  if (lost_run === null || lost_budget === null || lost_win === null) return {}
  const { lost_node, lost_since, lost_name } = row
  return {
    lost: {
      run: lost_run,
      node: lost_node ?? '',
      since: Number(lost_since ?? 0n),
      budget: lost_budget,
      name: lost_name ?? lost_budget,
      window: lost_win,
    },
  }
}

/** Known cost of a request that budgets hold an amount for. */
export interface Release {
  /** Id of its usage row. */
  readonly id: string
  /**
   * Amount that the provider charged in addition to the known costs, in nano-dollars; default 0. At most the held
   * amount is booked.
   */
  readonly cost?: bigint | undefined
}

export interface ReleaseParts {
  readonly connection: StoreConnection
  /** Time zone of daily sums if the store has none. */
  readonly zone: string
}

/**
 * Releases the held amount of a request with a correction row; rows never change. Resolves with the amount, or
 * undefined if nothing is held.
 * @throws HeadgateError `not-found` for an unknown row
 */
export async function releaseHeld(parts: ReleaseParts, { id, cost }: Release): Promise<HeldAmount | undefined> {
  const of = storable(id)
  return transact(parts.connection, async (trx) => {
    // Same order as writers of rows, and before any read.
    await lockDays(parts.connection, trx, 'sums')
    const at = await beginningOfRow(trx, of)
    if (at === undefined)
      throw new HeadgateError(
        'not-found',
        `The store has no usage row ${of}. \`headgate budgets held\` lists held amounts.`,
      )
    return releaseWithin(parts, trx, { id: of, at, cost })
  })
}

/** Releases the held amount of a row that began at `at`, within a transaction that has locked the days. */
export async function releaseWithin(
  { connection, zone }: ReleaseParts,
  trx: WriteTransaction,
  { id, at, cost = 0n }: Release & { readonly at: bigint },
): Promise<HeldAmount | undefined> {
  const known = await heldRows(trx).where('u.at', '=', at).where('u.id', '=', id).executeTakeFirst()
  if (!known) return undefined
  const amount = amountIn(known)
  const booked = smaller(cost, amount.held)
  const spends = (await countedOf(trx, [at], [id])).get(id) ?? []
  const released = await releaseOf(trx, at, id)
  const row: LedgerRow = {
    ...released,
    cost: Number(booked),
    // The sums of its provider include this attempt.
    attempts: booked > 0n ? [attemptOf(amount, released.endpoint, Number(booked))] : [],
    held: String(-amount.held),
    spends: spends.flatMap(({ held, budget, win }) => {
      if (held === 0n) return []
      const due = smaller(booked, held)
      return [{ budget, win, startsAt: 0, amount: String(due - held), held: String(-held), isFree: true as const }]
    }),
  }
  // Another process may have released it meanwhile.
  const { written } = await writeWithin(connection, trx, { rows: [row], zone })
  return written > 0 ? amount : undefined
}

function attemptOf(
  { provider, providerModel, at }: HeldAmount,
  endpoint: string | undefined,
  cost: number,
): LedgerRow['attempts'][number] {
  return { provider, endpoint, model: providerModel, startedAt: at, durationMs: 0, cost, priceId: null }
}

/** The id of a row contains its time, which is part of the key. */
async function beginningOfRow(trx: WriteTransaction, id: string): Promise<bigint | undefined> {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)) return undefined
  const made = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}`)
  const near = trx.selectFrom('usage').select('at').where('id', '=', id).where('held', '>', 0n)
  const row = await near
    .where('at', '>=', made - DAY)
    .where('at', '<=', made + DAY)
    .executeTakeFirst()
  return row?.at
}

const DAY = 86_400_000n
