import { z } from '@hono/zod-openapi'
import { auditCsv, auditNdjson, auditPages } from '../audit-log.ts'
import { cursorOf, readCursor } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, InstantText, PAGE, pageOf } from '../schemas.ts'

const Facts = z.record(z.string(), z.unknown())
const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    actor: z.object({ kind: z.string(), id: z.string().optional() }),
    action: z.string(),
    target: z.string().optional(),
    organization: z.string().optional(),
    before: Facts.optional(),
    after: Facts.optional(),
    session: z.string().optional(),
    address: z.string().optional(),
    agent: z.string().optional(),
    requestId: z.string().optional(),
    result: z.string(),
    number: z.int().openapi({ description: 'Sequence number in the organization, from 1 without gaps.' }),
    previousHash: z.string().openapi({ description: 'SHA-256 of the entry before; zeros for the first.' }),
    hash: z.string().openapi({ description: 'SHA-256 of this entry.' }),
  })
  .openapi('AuditEntry')

const FILTERS = {
  actor: Id.optional().openapi({
    description: 'Id of a person or key, or one of `person`, `key`, `system`, `anonymous`.',
  }),
  action: Id.optional().openapi({ description: 'Action such as `key.create`, or its prefix `key`.' }),
  target: Id.optional().openapi({ description: 'Id of the changed object.' }),
  from: InstantText.optional(),
  to: InstantText.optional(),
}
const Filters = z.object(FILTERS)

/** Maximum page size. One more entry is read to learn whether there is another page. */
const MOST = 499

export const AUDIT_ROUTES = [
  route({
    method: 'get',
    path: '/audit',
    id: 'readAudit',
    summary: 'Lists audit entries, newest first.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'audit.read',
    query: z.strictObject({ ...PAGE, ...FILTERS }),
    answer: pageOf(AuditEntry),
    async handle({ parts, caller, organization, query: { limit = 100, cursor, ...given } }) {
      const most = Math.min(limit, MOST)
      const before = cursor === undefined ? {} : { before: readCursor('audit', cursor)[1] }
      const found = await parts.accounts.auditPage(caller, organization, {
        ...filtersOf(given),
        ...before,
        limit: most + 1,
      })
      const items = found.slice(0, most).map((entry) => ({
        ...entry,
        before: entry.before && { ...entry.before },
        after: entry.after && { ...entry.after },
      }))
      const last = items.at(-1)
      return { body: { items, ...(found.length > most && last && { cursor: cursorOf('audit', [0, last.id]) }) } }
    },
  }),
  route({
    method: 'get',
    path: '/audit/export',
    id: 'exportAudit',
    summary: 'Streams audit entries as a file: CSV, or one JSON object per line.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'audit.read',
    query: z.strictObject({ ...FILTERS, format: z.enum(['csv', 'ndjson']).optional() }),
    streams: ['text/csv', 'application/x-ndjson'],
    async handle({ parts, caller, organization, query: { format = 'csv', ...given } }) {
      await parts.accounts.recordAct(caller, {
        action: 'audit.export',
        target: organization,
        organization,
        after: { format, ...filtersOf(given) },
      })
      const pages = auditPages(parts, caller, organization, filtersOf(given))
      return format === 'csv'
        ? { stream: { type: 'text/csv; charset=utf-8', name: 'audit.csv', texts: auditCsv(pages) } }
        : { stream: { type: 'application/x-ndjson', name: 'audit.ndjson', texts: auditNdjson(pages) } }
    },
  }),
]

function filtersOf({ actor, action, target, from, to }: z.infer<typeof Filters>) {
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}
