import { currentPrices, type PriceRow, type PriceSet, setPriceWithin } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'

/** Current prices of the operator, from the configuration and the API. */
export async function listPrices(
  { connection }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly PriceRow[]> {
  await allow(connection.db, caller, organization, 'prices.read')
  return currentPrices(connection)
}

/**
 * Sets the price of a model at a provider from now on. It applies to the whole gateway, which the first organization
 * manages.
 */
export function setPrice(parts: Parts, caller: Caller, price: PriceSet): Promise<PriceRow> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, FIRST_ORGANIZATION, 'prices.write')
    const { before, after } = await setPriceWithin(parts.connection, trx, price, now)
    if (price.rates === null && !before) throw missing('price')
    const act = { action: price.rates ? 'price.set' : 'price.remove', target: `${after.provider}/${after.model}` }
    const facts = (row: PriceRow) => ({ id: row.id, rates: JSON.stringify(row.rates) })
    await note(
      trx,
      caller,
      { ...act, organization: FIRST_ORGANIZATION, before: before && facts(before), after: facts(after) },
      now,
    )
    return after
  })
}
