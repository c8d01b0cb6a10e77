import type { Caller } from '../roles/caller.ts'
import { auditPages } from './audit-log.ts'
import type { ManagementParts } from './parts.ts'

/** All data of an organization except usage: one JSON object per line with its type. */
export async function* exportLines(
  { accounts }: ManagementParts,
  caller: Caller,
  organization: string,
): AsyncGenerator<string> {
  const line = (type: string, value: object): string => `${JSON.stringify({ type, ...value }, bigints)}\n`
  yield line('organization', await accounts.readOrganization(caller, organization))
  for (const one of await accounts.listMembers(caller, organization)) yield line('member', one)
  for (const one of await accounts.listInvites(caller, organization)) yield line('invite', one)
  for (const one of await accounts.listProjects(caller, organization)) yield line('project', one)
  for (const one of await accounts.listKeys(caller, organization)) yield line('key', one)
  for (const one of await accounts.listBudgets(caller, organization)) yield line('budget', one)
  for await (const entries of auditPages({ accounts }, caller, organization))
    yield entries.map((entry) => line('audit', entry)).join('')
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
