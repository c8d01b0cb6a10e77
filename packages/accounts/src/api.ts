/**
 * The management API of a gateway: what people and scripts do with its accounts, keys, budgets, prices and usage, by
 * HTTP.
 */
export { createManagementApi, type ManagementApi, type OpenApiPart } from './api/api.ts'
export type { Bound, Facts, Finding, Model, Provider } from './api/facts.ts'
export { linkTo, RETURN_PAGE } from './api/links.ts'
export type { Mail, ManagementParts, Peer } from './api/parts.ts'
export type { Credential, RouteData, RouteTypes } from './api/route.ts'
export { ROUTES, type Routes } from './api/routes.ts'
export type { UsageBook } from './api/usage.ts'
