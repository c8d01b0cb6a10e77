import { HeadgateError, inDollars } from '@headgate/gateway/ports'
import type { Caller } from '../roles/caller.ts'
import type { DueStatement } from '../statements/statement-mails.ts'
import { statementOf } from './handlers/spend.ts'
import type { Mail, ManagementParts } from './parts.ts'
import { monthAt, monthIn, type Statement, statementCsv } from './statement.ts'

/** Time after the end of a month until its statements are sent, in milliseconds: late requests are in them. */
const LATE = 3_600_000
const SYSTEM: Caller = { kind: 'system' }

/**
 * Mails statements of the last month that are due. Each one is what its recipient may read, and is sent by one of the
 * processes that share a store. A failed one is tried again by a later call.
 */
export async function mailStatements(parts: ManagementParts): Promise<void> {
  const { accounts, usage, mail, onProblem } = parts
  if (!mail) return
  const zone = await usage.dayZone()
  const now = (parts.now ?? Date.now)()
  const { from: to } = monthIn(zone, monthAt(zone, now))
  if (now < to + LATE) return
  const ended = { month: monthAt(zone, to - 1), to }
  for (const due of await accounts.takeStatements(SYSTEM, ended)) {
    try {
      await mail(await mailOf(parts, due, zone))
      await accounts.endStatement(SYSTEM, due, true)
    } catch (error) {
      if (await accounts.endStatement(SYSTEM, due, false)) continue
      const reason = HeadgateError.is(error) ? error.message : 'it failed'
      onProblem(
        `The statement of ${due.month} for ${due.person} could not be mailed, and is not tried again: ${reason}`,
      )
    }
  }
}

async function mailOf(parts: ManagementParts, due: DueStatement, zone: string): Promise<Mail> {
  const { organization, month, person, project, email, name } = due
  // The recipient reads the statement as on the page, so permissions are checked when it is sent.
  const caller: Caller = { kind: 'person', id: person, session: '', strongAt: 0 }
  const asked = { parts, caller, organization, holder: undefined }
  const statement = await statementOf(asked, { month, zone, project })
  const projectName = project && statement.lines.find((line) => line.project === project)?.projectName
  const of = projectName ? `${name}, ${projectName}` : name
  const { origins, basePath = '' } = parts
  const scope = new URLSearchParams({ statement: month, zone, organization, ...(project && { project }) })
  return {
    to: email,
    kind: 'statement',
    statement: {
      subject: `Headgate: statement for ${month}`,
      text: textOf(statement, of, `${origins[0] ?? ''}${basePath}/spend?${scope}`),
      file: { name: `headgate-statement-${month}.csv`, content: statementCsv(statement) },
    },
  }
}

function textOf({ month, zone, total }: Statement, of: string, link: string): string {
  const { requests, charged, unpriced } = total
  const unknown =
    unpriced === 0 ? [] : [`The cost of ${unpriced} of these requests is unknown, and not in this amount.`]
  return [
    `Usage of ${of} in ${month}, in days of ${zone}:`,
    '',
    `$${inDollars(BigInt(charged))} for ${requests} requests.`,
    ...unknown,
    '',
    'The attached file has the amounts by project and model. The same statement is at:',
    link,
    '',
  ].join('\n')
}
