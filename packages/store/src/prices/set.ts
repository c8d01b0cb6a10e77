import { HeadgateError } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { Writing } from '../database/transaction.ts'
import { noteChange } from '../keys/changes.ts'
import type { PriceRow, StoredRates } from './row.ts'

/** What a model is to cost at a provider from now on. */
export interface PriceSet {
  /** Name of the instance. */
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  /** Null = what the adapter knows holds again. */
  readonly rates: StoredRates | null
  /** Since when the price holds that it follows; undefined = whatever there is. */
  readonly follows?: number | undefined
}

/** Prices that the configuration names or somebody has set, those that hold now. */
export async function currentPrices({ db }: Pick<Connection, 'db'>): Promise<PriceRow[]> {
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
 * Says what a model costs from now on, within a transaction: all processes hear of it within a second. Resolves with
 * what it was before.
 * @throws HeadgateError `conflict` where the configuration says it, and with 412 where another price holds than
 * `follows`.
 */
export async function setPriceWithin(
  connection: Connection,
  trx: Writing,
  { provider, model, rates, follows }: PriceSet,
  now: number,
): Promise<{ readonly before: PriceRow | undefined; readonly after: PriceRow }> {
  // Whoever else sets one waits.
  await noteChange(connection, trx, 'prices')
  const [atProvider, ofModel] = [storable(provider), storable(model)]
  const holding = (await currentPrices({ db: trx })).filter(
    (one) => one.provider === atProvider && one.model === ofModel,
  )
  if (holding.some(({ source }) => source === 'config'))
    throw new HeadgateError('conflict', 'The configuration says what this model costs there. Change it there.')
  const [before] = holding
  if (follows !== undefined && before?.validFrom !== follows)
    throw new HeadgateError('conflict', 'The price has been changed since you read it. Read it again.', { status: 412 })
  const last = trx
    .selectFrom('prices')
    .select('valid_from')
    .where('provider', '=', atProvider)
    .where('model', '=', ofModel)
  const newest = await last.where('source', '=', 'store').orderBy('valid_from', 'desc').limit(1).executeTakeFirst()
  // Rows of one model never have the same time, also where the clock went back.
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
