import { ALERT_ROUTES } from './handlers/alerts.ts'
import { AUDIT_ROUTES } from './handlers/audit.ts'
import { BUDGET_ROUTES } from './handlers/budgets.ts'
import { CREDENTIAL_ROUTES } from './handlers/credentials.ts'
import { EVENT_ROUTES } from './handlers/events.ts'
import { EXPLANATION_ROUTES } from './handlers/explanation.ts'
import { FAILURE_ROUTES } from './handlers/failures.ts'
import { GATEWAY_ROUTES } from './handlers/gateway.ts'
import { INVITE_ROUTES } from './handlers/invites.ts'
import { KEY_ROUTES } from './handlers/keys.ts'
import { LIMIT_ROUTES } from './handlers/limits.ts'
import { ME_ROUTES } from './handlers/me.ts'
import { MEMBER_ROUTES } from './handlers/members.ts'
import { NOW_ROUTES } from './handlers/now.ts'
import { OIDC_ROUTES } from './handlers/oidc.ts'
import { ORGANIZATION_ROUTES } from './handlers/organization.ts'
import { PASSKEY_ROUTES } from './handlers/passkeys.ts'
import { PLAYGROUND_ROUTES } from './handlers/playground.ts'
import { PRICE_ROUTES } from './handlers/prices.ts'
import { PROJECT_ROUTES } from './handlers/projects.ts'
import { SIGN_IN_ROUTES } from './handlers/sign-in.ts'
import { SPEND_ROUTES } from './handlers/spend.ts'
import { TRACE_ROUTES } from './handlers/traces.ts'
import { USAGE_ROUTES } from './handlers/usage.ts'
import { VIEW_ROUTES } from './handlers/views.ts'
import type { ApiRoute } from './route.ts'

const ALL = [
  ...SIGN_IN_ROUTES,
  ...ME_ROUTES,
  ...PASSKEY_ROUTES,
  ...OIDC_ROUTES,
  ...INVITE_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...MEMBER_ROUTES,
  ...AUDIT_ROUTES,
  ...PROJECT_ROUTES,
  ...KEY_ROUTES,
  ...BUDGET_ROUTES,
  ...ALERT_ROUTES,
  ...LIMIT_ROUTES,
  ...PRICE_ROUTES,
  ...FAILURE_ROUTES,
  ...USAGE_ROUTES,
  ...SPEND_ROUTES,
  ...EXPLANATION_ROUTES,
  ...NOW_ROUTES,
  ...GATEWAY_ROUTES,
  ...CREDENTIAL_ROUTES,
  ...EVENT_ROUTES,
  ...PLAYGROUND_ROUTES,
  ...TRACE_ROUTES,
  ...VIEW_ROUTES,
]

/** All routes of the API. */
export const ROUTES: readonly ApiRoute[] = ALL

/** Types of all routes, for clients. */
export type Routes = (typeof ALL)[number]
