import { note } from '../audit/audit.ts'
import { storedRecipients } from '../organizations/statement-recipients.ts'
import type { Parts } from '../parts.ts'
import { checkOperator } from '../people/people.ts'
import { type Caller, memberRole } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'

/** Month that has ended, as its statement has it. */
export interface EndedMonth {
  /** `2026-11`. */
  readonly month: string
  /** End in Unix milliseconds. */
  readonly to: number
}

/** Statement to mail to a member. */
export interface DueStatement {
  readonly organization: string
  /** Name of the organization. */
  readonly name: string
  readonly month: string
  readonly person: string
  readonly email: string
  readonly project?: string | undefined
}

/** Maximum number of attempts, and waits after the first ones in milliseconds. The last wait is repeated. */
const TRIES = 12
const WAITS = [600_000, 3_600_000, 21_600_000]
/** Time in which no other process sends a taken statement, in milliseconds; longer than the mailer tries. */
const RESERVED_FOR = 1_800_000
/** Maximum number of statements per call. */
const AT_ONCE = 20

/**
 * Statements of ended months to mail now, for the operator. No other process gets them until they are reported with
 * {@link endStatement}, or half an hour has passed.
 */
export function takeStatements(parts: Parts, caller: Caller, ended: EndedMonth): Promise<readonly DueStatement[]> {
  checkOperator(caller)
  return inTransaction(parts, async (trx, now) => {
    await addMissing(trx, ended, now)
    const due = await trx
      .selectFrom('statement_mails')
      .selectAll()
      .where('next_at', '<=', BigInt(now))
      .orderBy('next_at')
      .limit(AT_ONCE)
      .execute()
    const taken: DueStatement[] = []
    for (const { organization, month, person, project, next_at } of due) {
      // Only one process finds the row unchanged.
      const reserved = await rowOf(trx, { organization, month, person, project })
        .set(({ eb }) => ({ tries: eb('tries', '+', 1n), next_at: BigInt(now + RESERVED_FOR) }))
        .where('next_at', '=', next_at)
        .returning('tries')
        .executeTakeFirst()
      if (!reserved) continue
      const to = await recipientOf(trx, organization, person)
      const given = { organization, month, person, ...(project !== '' && { project }) }
      if (to) taken.push({ ...given, ...to })
      else await drop(trx, caller, given, now)
    }
    return taken
  })
}

/**
 * Reports the result of a taken statement, for the operator. Resolves with false if it failed and is not tried again.
 */
export function endStatement(
  parts: Parts,
  caller: Caller,
  due: Pick<DueStatement, 'organization' | 'month' | 'person' | 'project'>,
  isSent: boolean,
): Promise<boolean> {
  checkOperator(caller)
  return inTransaction(parts, async (trx, now) => {
    const row = await rowOf(trx, due)
      .set({ sent_at: isSent ? BigInt(now) : null })
      .returning('tries')
      .executeTakeFirst()
    const tries = Number(row?.tries ?? TRIES)
    const isOver = isSent || tries >= TRIES
    const wait = WAITS[Math.min(tries, WAITS.length) - 1] ?? 0
    await rowOf(trx, due)
      .set({ next_at: isOver ? null : BigInt(now + wait) })
      .execute()
    const { organization, month, person, project } = due
    const act = { action: 'statement.mail', target: person, organization, after: { month, project: project ?? null } }
    if (isSent) await note(trx, caller, act, now)
    return isSent || !isOver
  })
}

/** Adds a row for each recipient of the month, unless it exists. */
async function addMissing(trx: AccountsTransaction, { month, to }: EndedMonth, now: number): Promise<void> {
  const set = trx.selectFrom('organizations').select(['id', 'statement_mail']).where('statement_mail', 'is not', null)
  for (const { id, statement_mail } of await set.execute())
    for (const { person, project = '', since } of storedRecipients(statement_mail)) {
      if (since >= to) continue
      await trx
        .insertInto('statement_mails')
        .values({ organization: id, month, person, project, tries: 0n, next_at: BigInt(now), sent_at: null })
        .onConflict((conflict) => conflict.columns(['organization', 'month', 'person', 'project']).doNothing())
        .execute()
    }
}

function rowOf(
  trx: AccountsTransaction,
  { organization, month, person, project }: Pick<DueStatement, 'organization' | 'month' | 'person' | 'project'>,
) {
  return trx
    .updateTable('statement_mails')
    .where('organization', '=', organization)
    .where('month', '=', month)
    .where('person', '=', person)
    .where('project', '=', project ?? '')
}

/** Mail address of a member, and the name of the organization; undefined if the person is no longer a member. */
async function recipientOf(trx: AccountsTransaction, organization: string, person: string) {
  if ((await memberRole(trx, organization, person)) === undefined) return undefined
  const people = trx.selectFrom('people').select('email').where('id', '=', person)
  const email = (await people.executeTakeFirst())?.email ?? undefined
  const named = trx.selectFrom('organizations').select('name').where('id', '=', organization)
  const name = (await named.executeTakeFirst())?.name
  return email === undefined || name === undefined ? undefined : { email, name }
}

/** Ends a statement whose recipient may no longer read it. */
async function drop(
  trx: AccountsTransaction,
  caller: Caller,
  due: Pick<DueStatement, 'organization' | 'month' | 'person' | 'project'>,
  now: number,
): Promise<void> {
  await rowOf(trx, due).set({ next_at: null }).execute()
  const { organization, month, person } = due
  const act = { action: 'statement.mail', target: person, organization, after: { month }, result: 'refused' as const }
  await note(trx, caller, act, now)
}
