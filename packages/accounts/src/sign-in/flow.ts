import { HeadgateError } from '@headgate/gateway/ports'
import { hashToken } from '../database/ids.ts'
import type { Parts } from '../parts.ts'
import type { AccountsTransaction } from '../schema/tables.ts'

/**
 * Process of several requests. The browser keeps the encrypted state in between, so that many callers do not fill a
 * table.
 */
export type FlowKind = 'oidc' | 'passkey-add' | 'passkey-use'

/** Time limits by kind in milliseconds. */
const LASTS: Readonly<Record<FlowKind, number>> = {
  oidc: 10 * 60_000,
  'passkey-add': 5 * 60_000,
  'passkey-use': 5 * 60_000,
}
/** Maximum length of a state in characters. */
const LONGEST = 4_000

/** Cookie text of a browser with its expiry in Unix milliseconds. */
export interface Flow {
  readonly flow: string
  readonly expiresAt: number
}

export function beginFlow({ keys, now }: Parts, kind: FlowKind, state: object): Flow {
  const expiresAt = now() + LASTS[kind]
  return { flow: keys.seal(Buffer.from(JSON.stringify({ ...state, expiresAt })), kind), expiresAt }
}

/** State of a valid flow. @throws HeadgateError `not-found` for any other flow. */
export async function readFlow<State>({ keys, now, connection }: Parts, kind: FlowKind, flow: string): Promise<State> {
  const plain = typeof flow === 'string' && flow.length <= LONGEST ? keys.open(flow, kind) : undefined
  if (!plain) throw over()
  const { expiresAt, ...state } = JSON.parse(plain.toString())
  if (expiresAt <= now()) throw over()
  const used = await connection.db
    .selectFrom('flows')
    .select('hash')
    .where('hash', '=', hashToken(flow))
    .executeTakeFirst()
  if (used) throw over()
  return state
}

/** Uses up a flow; only one concurrent attempt succeeds. @throws HeadgateError `not-found`. */
export async function takeFlow(trx: AccountsTransaction, flow: string, now: number): Promise<void> {
  const insert = trx.insertInto('flows').values({ hash: hashToken(flow), expires_at: now + LASTS.oidc })
  const taken = await insert
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  if (!taken) throw over()
}

function over(): HeadgateError {
  return new HeadgateError(
    'not-found',
    'This process expired, began in another browser, or is already finished. Start again.',
  )
}
