import { type Cell, csvLine } from '@headgate/store/sql'
import type { AuditEntry, AuditQuery } from '../audit/audit.ts'
import type { Caller } from '../roles/caller.ts'
import type { ManagementParts } from './parts.ts'

/** Entries per query. */
const PAGE = 500

/** Matching entries of an organization, newest first, in pages. */
export async function* auditPages(
  { accounts }: Pick<ManagementParts, 'accounts'>,
  caller: Caller,
  organization: string,
  filters: Omit<AuditQuery, 'before' | 'limit'> = {},
): AsyncGenerator<readonly AuditEntry[]> {
  for (let before: string | undefined, isMore = true; isMore; ) {
    const page = await accounts.auditPage(caller, organization, {
      ...filters,
      limit: PAGE,
      ...(before !== undefined && { before }),
    })
    yield page
    before = page.at(-1)?.id
    isMore = page.length === PAGE
  }
}

/** CSV columns in order. JSON values stay JSON in their cells. */
const COLUMNS: readonly (readonly [name: string, cell: (entry: AuditEntry) => Cell])[] = [
  ['time', ({ at }) => new Date(at).toISOString()],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor', ({ actor }) => actor.id],
  ['action', ({ action }) => action],
  ['target', ({ target }) => target],
  ['result', ({ result }) => result],
  ['before', ({ before }) => before && JSON.stringify(before)],
  ['after', ({ after }) => after && JSON.stringify(after)],
  ['address', ({ address }) => address],
  ['agent', ({ agent }) => agent],
  ['session', ({ session }) => session],
  ['request_id', ({ requestId }) => requestId],
  ['id', ({ id }) => id],
  ['number', ({ number }) => number],
  ['previous_hash', ({ previousHash }) => previousHash],
  ['hash', ({ hash }) => hash],
]

type AuditPages = AsyncIterable<readonly AuditEntry[]>

export async function* auditCsv(pages: AuditPages): AsyncGenerator<string> {
  yield csvLine(COLUMNS.map(([name]) => name))
  for await (const entries of pages)
    yield entries.map((entry) => csvLine(COLUMNS.map(([, cell]) => cell(entry)))).join('')
}

export async function* auditNdjson(pages: AuditPages): AsyncGenerator<string> {
  for await (const entries of pages) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}
