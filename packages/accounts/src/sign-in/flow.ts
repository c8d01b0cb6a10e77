import { HeadgateError } from '@headgate/gateway/ports'
import { hashToken } from '../database/ids.ts'
import type { Parts } from '../parts.ts'
import type { Writing } from '../schema/tables.ts'

/**
 * What takes more than one request: the browser holds its state in between, encrypted, so that who asks a lot fills no
 * table.
 */
export type FlowKind = 'oidc' | 'passkey-add' | 'passkey-use'

/** How long each may take, in milliseconds. */
const LASTS: Readonly<Record<FlowKind, number>> = {
  oidc: 10 * 60_000,
  'passkey-add': 5 * 60_000,
  'passkey-use': 5 * 60_000,
}
/** Longest state, in characters. */
const LONGEST = 4_000

/** A text for a cookie of one browser, and when it is over, Unix milliseconds. */
export interface Flow {
  readonly flow: string
  readonly expiresAt: number
}

export function beginFlow({ keys, now }: Parts, kind: FlowKind, state: object): Flow {
  const expiresAt = now() + LASTS[kind]
  return { flow: keys.seal(Buffer.from(JSON.stringify({ ...state, expiresAt })), kind), expiresAt }
}

/** The state of a flow that can be finished. @throws HeadgateError `not-found`, whatever is wrong with it. */
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

/** Uses a flow up that was read: of all who try, one does. @throws HeadgateError `not-found`. */
export async function takeFlow(trx: Writing, flow: string, now: number): Promise<void> {
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
    'This took too long, began in another browser, or was finished already. Begin again.',
  )
}
