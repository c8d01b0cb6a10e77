import { changeKeyWithin, createKeyWithin, hashApiKey, rotateKeyWithin } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, personOf } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { factsOfKey, projectFor } from './owned.ts'

/** Environment of playground usage. */
const ENVIRONMENT = 'playground'
const NAME = 'Playground'
/** End of tracing: playground requests are always traced. This is the maximum time value. */
const ALWAYS = 8_640_000_000_000_000

/** Organization and project of a playground request. */
export interface PlaygroundTarget {
  readonly organization: string
  /** Default: the first project of the organization. */
  readonly project?: string | undefined
}

/**
 * Key of a person for the playground in a project, so that the usual budgets of the person apply. It is created on
 * first use and stored encrypted. Only the program uses it; browsers never receive it.
 * @throws HeadgateError `forbidden`, `not-found`, `conflict`.
 */
export async function playgroundKey(
  parts: Parts,
  caller: Caller,
  { organization, project: given }: PlaygroundTarget,
): Promise<string> {
  const { db } = parts.connection
  const person = personOf(caller).id
  await allow(db, caller, organization, 'playground.use')
  const project = await projectFor(db, organization, given)
  return (
    (await knownKey(parts, db, person, project)) ??
    inTransaction(parts, (trx, now) => madeKey(parts, trx, caller, { organization, project }, now))
  )
}

type PlaygroundReader = Pick<AccountsTransaction, 'selectFrom'>

/** Stored key; undefined without a working one. */
async function knownKey(
  { keys, now }: Parts,
  db: PlaygroundReader,
  person: string,
  project: string,
): Promise<string | undefined> {
  const row = await held(db, person, project, now())
  if (!row) return undefined
  const key = keys.open(row.sealed, row.key_id)?.toString()
  if (key === undefined) return undefined
  const secret = await db
    .selectFrom('key_secrets')
    .select('expires_at')
    .where('hash', '=', Buffer.from(hashApiKey(key), 'hex'))
    .executeTakeFirst()
  return secret && (secret.expires_at === null || Number(secret.expires_at) > now()) ? key : undefined
}

/** Row of a key that is neither revoked nor expired. */
function held(db: PlaygroundReader, person: string, project: string, now: number) {
  return db
    .selectFrom('playground_keys')
    .innerJoin('keys', 'keys.id', 'playground_keys.key_id')
    .select(['playground_keys.key_id', 'playground_keys.sealed'])
    .where('playground_keys.person', '=', person)
    .where('playground_keys.project', '=', project)
    .where('keys.revoked_at', 'is', null)
    .where((is) => is.or([is('keys.expires_at', 'is', null), is('keys.expires_at', '>', BigInt(now))]))
    .executeTakeFirst()
}

async function madeKey(
  parts: Parts,
  trx: AccountsTransaction,
  caller: Caller,
  { organization, project }: { readonly organization: string; readonly project: string },
  now: number,
): Promise<string> {
  const { connection, keys } = parts
  const person = personOf(caller).id
  const known = await knownKey(parts, trx, person, project)
  if (known !== undefined) return known
  const before = await held(trx, person, project, now)
  // If only the secret is lost, the key is rotated and keeps its budgets.
  const rotated = before && (await rotateKeyWithin(connection, trx, before.key_id, { overlapMs: 0 }, { now }))
  const own = { name: NAME, environment: ENVIRONMENT, project, createdBy: person, tracedUntil: ALWAYS }
  const made = rotated ?? (await createKeyWithin(connection, trx, own, { now }))
  if (rotated) await changeKeyWithin(connection, trx, rotated.stored.id, { tracedUntil: ALWAYS })
  const { id } = made.stored
  const row = { key_id: id, sealed: keys.seal(Buffer.from(made.key), id), created_at: BigInt(now) }
  await trx
    .insertInto('playground_keys')
    .values({ person, project, ...row })
    .onConflict((conflict) => conflict.columns(['person', 'project']).doUpdateSet(row))
    .execute()
  const act = {
    action: rotated ? 'key.rotate' : 'key.create',
    target: id,
    organization,
    after: factsOfKey(made.stored),
  }
  await note(trx, caller, act, now)
  return made.key
}
