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
  /** Reason as in its usage row: `failed`, `canceled`, `lost`. */
  readonly why: string
  /** Nano-dollars that are still held, after corrections. */
  readonly held: bigint
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
export async function releaseHeld(
  { connection, zone }: ReleaseParts,
  { id, cost = 0n }: Release,
): Promise<HeldAmount | undefined> {
  const of = storable(id)
  return transact(connection, async (trx) => {
    // Same order as writers of rows, and before any read.
    await lockDays(connection, trx, 'sums')
    const at = await beginningOfRow(trx, of)
    const known =
      at === undefined
        ? undefined
        : await heldRows(trx).where('u.at', '=', at).where('u.id', '=', of).executeTakeFirst()
    if (at === undefined)
      throw new HeadgateError(
        'not-found',
        `The store has no usage row ${of}. \`headgate budgets held\` lists held amounts.`,
      )
    if (!known) return undefined
    const amount = amountIn(known)
    const booked = smaller(cost, amount.held)
    const spends = (await countedOf(trx, [at], [of])).get(of) ?? []
    const released = await releaseOf(trx, at, of)
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
    await writeWithin(connection, trx, { rows: [row], zone })
    return amount
  })
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
