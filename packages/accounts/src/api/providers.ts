import type { Caller } from '../roles/caller.ts'
import type { ManagementProvider } from './facts.ts'
import type { ManagementParts } from './parts.ts'

/** Providers as a caller may see them: without ids of requests unless the caller sees all usage. */
export async function visibleProviders(
  { facts, accounts }: Pick<ManagementParts, 'facts' | 'accounts'>,
  caller: Caller,
  organization: string,
): Promise<readonly ManagementProvider[]> {
  const all = await facts.providers()
  const scope = await accounts.usageScope(caller, organization)
  const seesAll = scope.member === undefined && scope.projects === undefined
  return seesAll ? all : all.map(withoutRequests)
}

function withoutRequests(provider: ManagementProvider): ManagementProvider {
  const { lastError } = provider
  if (lastError?.request === undefined) return provider
  const { request: _, ...error } = lastError
  return { ...provider, lastError: error }
}
