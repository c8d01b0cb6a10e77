import {
  type AlertDestination,
  listDestinations as allDestinations,
  removeDestinationWithin,
  setDestinationWithin,
} from '@headgate/store/sql'
import { type AuditFacts, note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing, nameOf } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, personBehind } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'

/** Destination without its encrypted address. */
export type DestinationFacts = Omit<AlertDestination, 'sealed'>

/** Destinations of alerts, which belong to the whole gateway. */
export async function listDestinations({ connection }: Parts, caller: Caller): Promise<readonly DestinationFacts[]> {
  await allow(connection.db, caller, FIRST_ORGANIZATION, 'budgets.write')
  return (await allDestinations(connection)).map(({ sealed: _, ...facts }) => facts)
}

export interface DestinationSet extends Pick<AlertDestination, 'id' | 'name' | 'kind' | 'rules'> {
  /** New encrypted address; undefined keeps the stored one. */
  readonly sealed?: string | undefined
  readonly shown?: string | undefined
  readonly follows?: number | undefined
}

/** Adds or changes a destination. @throws HeadgateError `not-found` without an address, `conflict` (412) */
export function setDestination(parts: Parts, caller: Caller, given: DestinationSet): Promise<DestinationFacts> {
  const { id, kind, rules, follows } = given
  const name = nameOf(given.name)
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, FIRST_ORGANIZATION, 'budgets.write')
    const known = (await allDestinations({ db: trx })).find((one) => one.id === id)
    const sealed = given.sealed ?? (known?.kind === kind ? known.sealed : undefined)
    const shown = given.shown ?? known?.shown
    if (sealed === undefined || shown === undefined) throw missing('destination')
    const createdBy = personBehind(caller)
    const next = { id, name, kind, rules, sealed, shown, createdBy, createdAt: known?.createdAt ?? now }
    const { before, after } = await setDestinationWithin(trx, next, follows)
    const act = { action: before ? 'alert.change' : 'alert.add', target: id, organization: FIRST_ORGANIZATION }
    await note(trx, caller, { ...act, before: before && factsOf(before), after: factsOf(after) }, now)
    const { sealed: _, ...facts } = after
    return facts
  })
}

/** Removes a destination. @throws HeadgateError `not-found`, `conflict` (412) */
export function removeDestination(
  parts: Parts,
  caller: Caller,
  id: string,
  follows: number | undefined,
): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, FIRST_ORGANIZATION, 'budgets.write')
    const before = await removeDestinationWithin(trx, id, follows)
    if (!before) throw missing('destination')
    const act = { action: 'alert.remove', target: id, organization: FIRST_ORGANIZATION, before: factsOf(before) }
    await note(trx, caller, act, now)
  })
}

function factsOf({ name, kind, shown, rules }: AlertDestination): AuditFacts {
  return { name, kind, address: shown, rules: JSON.stringify(rules) }
}
