import { HeadgateError } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import { recordChange } from '../keys/changes.ts'
import type { PriceRow, StoredRates } from './row.ts'

/** Price to set for a model at a provider, from now on. */
export interface PriceSet {
  /** Name of the instance. */
  readonly provider: string
  /** Model name at the provider. */
  readonly model: string
  /** Rates; null restores the price of the adapter's catalog. */
  readonly rates: StoredRates | null
  /** `validFrom` of the price to replace; undefined replaces any price. */
  readonly follows?: number | undefined
}

/** Current prices that were configured or set in the store. */
export async function currentPrices({ db }: Pick<StoreConnection, 'db'>): Promise<PriceRow[]> {
  const rows = await db
    .selectFrom('prices')
    .selectAll()
    .where('source', 'in', ['config', 'store'])
    .orderBy('valid_from')
    .orderBy('id')
    .execute()
  const newest = new Map(rows.map((row) => [JSON.stringify([row.source, row.provider, row.model]), row]))
  return [...newest.values()].flatMap(({ id, provider, model, source, valid_from, rates }): PriceRow[] => {
    const known: StoredRates | null = JSON.parse(rates)
    if (known === null) return []
    return [
      {
        id,
        provider,
        model,
        source: source === 'config' ? 'config' : 'store',
        validFrom: Number(valid_from),
        rates: known,
      },
    ]
  })
}

/**
 * Sets the price of a model from now on, within a transaction. All processes use it within a second. Resolves with the
 * previous and the new price.
 * @throws HeadgateError `conflict` if the configuration sets the price, or with status 412 if the current price is not
 * the one in `follows`
 */
export async function setPriceWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  { provider, model, rates, follows }: PriceSet,
  now: number,
): Promise<{ readonly before: PriceRow | undefined; readonly after: PriceRow }> {
  // Locks out other writers of prices.
  await recordChange(connection, trx, 'prices')
  const [atProvider, ofModel] = [storable(provider), storable(model)]
  const holding = (await currentPrices({ db: trx })).filter(
    (one) => one.provider === atProvider && one.model === ofModel,
  )
  if (holding.some(({ source }) => source === 'config'))
    throw new HeadgateError('conflict', 'The configuration sets the price of this model. Change it there.')
  const [before] = holding
  if (follows !== undefined && before?.validFrom !== follows)
    throw new HeadgateError('conflict', 'The price has changed since it was read. Read it again.', { status: 412 })
  const last = trx
    .selectFrom('prices')
    .select('valid_from')
    .where('provider', '=', atProvider)
    .where('model', '=', ofModel)
  const newest = await last.where('source', '=', 'store').orderBy('valid_from', 'desc').limit(1).executeTakeFirst()
  // Times of one model strictly increase, even if the clock steps back.
  const validFrom = Math.max(now, Number(newest?.valid_from ?? 0n) + 1)
  const id = `store${rates ? '' : '(ended)'}:${atProvider}/${ofModel}@${new Date(validFrom).toISOString()}`
  const after: PriceRow = { id, provider: atProvider, model: ofModel, source: 'store', validFrom, rates }
  await trx
    .insertInto('prices')
    .values({
      id,
      provider: atProvider,
      model: ofModel,
      source: 'store',
      valid_from: validFrom,
      rates: JSON.stringify(rates),
    })
    .execute()
  return { before, after }
}
