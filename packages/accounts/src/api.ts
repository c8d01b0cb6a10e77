/** Management API of a gateway: HTTP access for people and scripts to accounts, keys, budgets, prices and usage. */
export { createManagementApi, type ManagementApi, type ManagementOpenApi } from './api/api.ts'
export type { CredentialDesk, CredentialInput, CredentialState, PreparedCredential } from './api/credentials.ts'
export type {
  ConfiguredBound,
  ManagementFacts,
  ManagementFinding,
  ManagementModel,
  ManagementProvider,
} from './api/facts.ts'
export { linkTo, RETURN_PAGE } from './api/links.ts'
export type { Mail, ManagementParts, Peer } from './api/parts.ts'
export type { RouteCredential, RouteData, RouteSchemaTypes } from './api/route.ts'
export { ROUTES, type Routes } from './api/routes.ts'
export type { UsageBook } from './api/usage.ts'
