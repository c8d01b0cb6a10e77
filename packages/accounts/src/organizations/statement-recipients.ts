import { idOf, wrong } from '../database/input.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'

/** Member who receives the statement of each month by mail. */
export interface StatementRecipient {
  /** Id of the member. */
  readonly person: string
  /** Id of the only project in the statement. Default: all that the member may see. */
  readonly project?: string | undefined
}

/** Recipient as stored. */
export interface StoredRecipient extends StatementRecipient {
  /** Time at which it was added, in Unix milliseconds: months that ended before are not sent. */
  readonly since: number
}

/** Maximum number of recipients. */
const MOST = 50

/** Stored text of recipients; null = none. @throws HeadgateError `invalid-request` that names the field */
export async function statementMailText(
  trx: AccountsTransaction,
  { id: organization, statement_mail: before }: Pick<AccountsRow<'organizations'>, 'id' | 'statement_mail'>,
  given: readonly StatementRecipient[],
  now: number,
): Promise<string | null> {
  if (given.length === 0) return null
  if (given.length > MOST) throw wrong('statementMail', `\`statementMail\` must have at most ${MOST} recipients.`)
  const earlier = storedRecipients(before)
  const recipients: StoredRecipient[] = []
  for (const [index, { person, project }] of given.entries()) {
    const field = `statementMail[${index}]`
    if (!(await hasMail(trx, organization, person)))
      throw wrong(`${field}.person`, `\`${field}.person\` must be a member with a mail address.`)
    if (project !== undefined && !(await isOwn(trx, organization, project)))
      throw wrong(`${field}.project`, `\`${field}.project\` must be a project of the organization.`)
    const isSame = (one: StatementRecipient): boolean => one.person === person && one.project === project
    const since = earlier.find(isSame)?.since ?? now
    if (!recipients.some(isSame)) recipients.push({ person, ...(project !== undefined && { project }), since })
  }
  return JSON.stringify(recipients)
}

export function storedRecipients(text: string | null): readonly StoredRecipient[] {
  return text === null ? [] : JSON.parse(text)
}

export function recipientsIn(text: string | null): readonly StatementRecipient[] {
  return storedRecipients(text).map(({ since: _, ...recipient }) => recipient)
}

async function hasMail(trx: AccountsTransaction, organization: string, person: string): Promise<boolean> {
  const row = trx
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .select('people.email')
    .where('organization', '=', organization)
    .where('person', '=', idOf(person))
  return ((await row.executeTakeFirst())?.email ?? null) !== null
}

async function isOwn(trx: AccountsTransaction, organization: string, project: string): Promise<boolean> {
  const row = trx.selectFrom('projects').select('id').where('id', '=', idOf(project))
  return (await row.where('organization', '=', organization).executeTakeFirst()) !== undefined
}
