/** People and organizations of a gateway: accounts, sign-in, roles, projects and the audit log, in its store. */
export {
  type Accounts,
  type AccountsOptions,
  type AccountsSettings,
  openAccounts,
  openAccountsHere,
} from './accounts.ts'
export { createManagementApi, type ManagementApi, type ManagementOpenApi } from './api/api.ts'
export type { CredentialDesk, CredentialInput, CredentialState, PreparedCredential } from './api/credentials.ts'
export type {
  ManagementFacts,
  ManagementFinding,
  ManagementModel,
  ManagementProvider,
} from './api/facts.ts'
export type { Mail, ManagementParts, Peer } from './api/parts.ts'
export type { AuditEntry, AuditQuery } from './audit/audit.ts'
export type { AuditBatch, AuditLease } from './audit/stream.ts'
export type { AuditChain, ChainCheck, ChainProblem, VerifiedUpTo } from './audit/verify.ts'
export type { BudgetVersion, OwnedBudget } from './budgets/budgets.ts'
export type { CredentialSet, StoredCredentialFacts } from './credentials/credentials.ts'
export { FIRST_ORGANIZATION, FIRST_PROJECT } from './database/ids.ts'
export type { KeyVersioned } from './keys/keys.ts'
export { type PublicAddress, publicAddress } from './node/public-address.ts'
export type { OidcBegin } from './oidc/begin.ts'
export type { OidcFinish, OidcResult } from './oidc/finish.ts'
export type { Identity } from './oidc/identities.ts'
export type { OidcProvider } from './oidc/provider.ts'
export type { Invite, InviteInfo, NewInvite } from './organizations/invites.ts'
export type { KeyDefaults } from './organizations/key-defaults.ts'
export type { Member, RoleChange } from './organizations/members.ts'
export type { Organization, OrganizationChange, SignUp } from './organizations/organizations.ts'
export type { Project, ProjectChange } from './organizations/projects.ts'
export type { SignUpMail } from './organizations/sign-up.ts'
export type { PasskeyAdded } from './passkeys/add.ts'
export type { Passkey } from './passkeys/passkeys.ts'
export type { PasskeyUse } from './passkeys/use.ts'
export type { ScryptParameters } from './passwords/hasher.ts'
export type { AddedPerson, Claim } from './people/first.ts'
export type { Link } from './people/links.ts'
export type { PasswordChange } from './people/password.ts'
export type { Person, PersonAccount } from './people/people.ts'
export type { Access, AccessRequest, UsageScope } from './roles/access.ts'
export { type Caller, callerOf, type RequestOrigin } from './roles/caller.ts'
export { type Action, isRole, MATRIX, may, mayManage, type PermissionScope, ROLES, type Role } from './roles/roles.ts'
export type { NewSession, Session, SignInMethod } from './sessions/sessions.ts'
export type { Flow } from './sign-in/flow.ts'
export type { SignIn } from './sign-in/sign-in.ts'
