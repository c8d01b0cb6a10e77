import { listDestinations, removeDestination, setDestination } from './alerts/destinations.ts'
import { auditPage } from './audit/audit.ts'
import { recordAct, recordRefusal } from './audit/record.ts'
import { advanceAuditExport, claimAuditExport, readAuditExport, releaseAuditExport } from './audit/stream.ts'
import { auditChains, verifyChain } from './audit/verify.ts'
import { listBudgets, listSharedBudgets, removeBudget, resetBudget, setBudget } from './budgets/budgets.ts'
import { listCredentials, removeCredential, setCredential } from './credentials/credentials.ts'
import { changeKey, createKey, listKeys, readKey, revokeKey, rotateKey } from './keys/keys.ts'
import { playgroundKey } from './keys/playground.ts'
import { takeOverKey } from './keys/take-over.ts'
import { readTraceOf, readWordsOf, traceKey } from './keys/tracing.ts'
import { beginOidc } from './oidc/begin.ts'
import { finishOidc } from './oidc/finish.ts'
import { listIdentities, removeIdentity } from './oidc/identities.ts'
import { listOidc, testOidc } from './oidc/providers.ts'
import { acceptInvite, invite, joinByInvite, listInvites, readInvite, revokeInvite } from './organizations/invites.ts'
import { changeRole, leave, listMembers, removeMember } from './organizations/members.ts'
import { changeOrganization, createOrganization, readOrganization } from './organizations/organizations.ts'
import { changeProject, createProject, listProjects, readProject } from './organizations/projects.ts'
import { deleteOrganization } from './organizations/remove.ts'
import { checkSignUp, finishSignUp, requestSignUp } from './organizations/sign-up.ts'
import type { Parts } from './parts.ts'
import { beginPasskey, finishPasskey } from './passkeys/add.ts'
import { listPasskeys, removePasskey, renamePasskey } from './passkeys/passkeys.ts'
import { askForPasskey, confirmByPasskey, signInByPasskey } from './passkeys/use.ts'
import { addByOperator, claimFirst, firstLink, hasAccounts } from './people/first.ts'
import { changePassword, confirmByPassword } from './people/password.ts'
import { accountOf, disablePerson, listPeople, renamePerson } from './people/people.ts'
import { deletePerson } from './people/remove.ts'
import { forgotten, resetByOperator, resetLink, resetPassword } from './people/reset.ts'
import { listPrices, setPrice } from './prices/prices.ts'
import { beginOnce, endOnce } from './requests/idempotency.ts'
import { forget } from './retention.ts'
import { accessOf, usageScope } from './roles/access.ts'
import { endOtherSessions, endSession, listSessions, useSession } from './sessions/sessions.ts'
import { markDevice } from './sign-in/device.ts'
import { signIn } from './sign-in/sign-in.ts'
import { countAsking } from './sign-in/throttle.ts'
import { endStatement, takeStatements } from './statements/statement-mails.ts'
import { listViews, removeView, saveView } from './views/views.ts'

/** Functions of the accounts by name. */
export const FUNCTIONS = {
  firstLink,
  hasAccounts,
  claimFirst,
  addByOperator,
  listPeople,
  disablePerson,
  resetByOperator,
  signIn,
  markDevice,
  countAsking,
  useSession,
  listSessions,
  endSession,
  endOtherSessions,
  confirmByPassword,
  accountOf,
  renamePerson,
  changePassword,
  forgotten,
  resetLink,
  resetPassword,
  createOrganization,
  readOrganization,
  changeOrganization,
  deleteOrganization,
  checkSignUp,
  requestSignUp,
  finishSignUp,
  listMembers,
  changeRole,
  removeMember,
  deletePerson,
  leave,
  invite,
  listInvites,
  revokeInvite,
  readInvite,
  acceptInvite,
  joinByInvite,
  listProjects,
  readProject,
  createProject,
  changeProject,
  beginOidc,
  finishOidc,
  listOidc,
  testOidc,
  listIdentities,
  removeIdentity,
  beginPasskey,
  finishPasskey,
  listPasskeys,
  renamePasskey,
  removePasskey,
  askForPasskey,
  signInByPasskey,
  confirmByPasskey,
  listKeys,
  readKey,
  createKey,
  changeKey,
  rotateKey,
  revokeKey,
  takeOverKey,
  playgroundKey,
  traceKey,
  readTraceOf,
  readWordsOf,
  listBudgets,
  listSharedBudgets,
  setBudget,
  resetBudget,
  removeBudget,
  listPrices,
  setPrice,
  listCredentials,
  setCredential,
  removeCredential,
  listDestinations,
  setDestination,
  removeDestination,
  listViews,
  saveView,
  removeView,
  accessOf,
  usageScope,
  takeStatements,
  endStatement,
  recordAct,
  recordRefusal,
  beginOnce,
  endOnce,
  auditPage,
  auditChains,
  verifyChain,
  claimAuditExport,
  releaseAuditExport,
  readAuditExport,
  advanceAuditExport,
  forget,
} as const

type Functions = typeof FUNCTIONS

/** Functions of the accounts, bound to their dependencies. */
export type BoundFunctions = {
  readonly [Name in keyof Functions]: Functions[Name] extends (parts: Parts, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never
}

export type FunctionName = keyof Functions

export const NAMES = Object.keys(FUNCTIONS) as readonly FunctionName[]

/** Binds each function to `call`. */
export function bound(call: (name: FunctionName, args: readonly unknown[]) => Promise<unknown>): BoundFunctions {
  return Object.fromEntries(
    NAMES.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]),
  ) as unknown as BoundFunctions
}

export function boundTo(parts: Parts): BoundFunctions {
  // Async, so that synchronous exceptions become rejections.
  return bound(async (name, args) =>
    (FUNCTIONS[name] as (parts: Parts, ...args: readonly unknown[]) => Promise<unknown>)(parts, ...args),
  )
}
