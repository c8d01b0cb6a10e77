import {
  type CallLimits,
  createMaintenance,
  createSecret,
  createThread,
  migrate,
  openConnection,
  STORE,
  type StoreLocation,
} from '@headgate/store/sql'
import { type BoundFunctions, bound, boundTo } from './functions.ts'
import { createClients } from './oidc/clients.ts'
import { issuerOf, type OidcProvider } from './oidc/provider.ts'
import { createHasher, type ScryptParameters } from './passwords/hasher.ts'
import { ACCOUNTS, type AccountsTables } from './schema/tables.ts'

/** Functions for people and organizations. Each one takes the caller, checks permissions, and throws HeadgateError. */
export type Accounts = BoundFunctions & {
  /** Configured OIDC providers, as shown on the sign-in page. */
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  /** Closes the connection to the store. */
  close(): Promise<void>
}

/** Settings of the accounts. Structured cloning must be able to copy them to the thread. */
export interface AccountsSettings {
  /** Location of the store, which is migrated when it is opened. */
  readonly place: StoreLocation
  /** Secret of the program, `new,old,…`; each value has at least 32 characters. */
  readonly secret: string
  /** Allowed origins of browsers, such as `https://headgate.example`. Requests from other origins are refused. */
  readonly origins: readonly string[]
  readonly oidc?: readonly OidcProvider[]
  /** Parameters for new password hashes. Default: N = 2^15, r = 8, p = 3. */
  readonly passwords?: ScryptParameters
}

export interface AccountsOptions extends AccountsSettings {
  /** Receives problems that an operator should know. */
  onProblem(message: string): void
}

export type AccountsCalls = BoundFunctions & { close(): Promise<void> }

/** Time limits in milliseconds for functions that call an OIDC provider several times. */
const LIMITS: CallLimits<AccountsCalls> = { finishOidc: 60_000, testOidc: 30_000 }
/** Interval between deletions of expired rows in milliseconds. */
const FORGET = 3_600_000

/** Opens the accounts of a store in a separate thread. @throws HeadgateError for invalid settings. */
export function openAccounts({ onProblem, ...settings }: AccountsOptions): Accounts {
  createSecret(settings.secret)
  for (const provider of settings.oidc ?? []) issuerOf(provider)
  const file = new URL(`./accounts.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
  const thread = createThread<AccountsCalls>({
    file,
    data: settings,
    onAnnouncement: () => {},
    onProblem,
    limits: LIMITS,
  })
  const functions = bound((name, args) => thread.call(name, ...(args as never)))
  const forgetting = createMaintenance({
    step: () => functions.forget(),
    onProblem: (error) => onProblem(`Expired rows of accounts could not be deleted: ${String(error)}`),
    every: FORGET,
  })
  return {
    ...functions,
    providers: namesOf(settings),
    close() {
      forgetting.end()
      return thread.close()
    },
  }
}

/** Opens the accounts in the calling thread, for a command. SQLite calls block it. */
export async function openAccountsHere(settings: AccountsSettings): Promise<Accounts> {
  return { ...(await openCalls(settings)), providers: namesOf(settings) }
}

/** Opens the store, migrates it to the newest version, and binds the functions. */
export async function openCalls({
  place,
  secret,
  origins,
  oidc = [],
  passwords,
}: AccountsSettings): Promise<AccountsCalls> {
  const keys = createSecret(secret).subKeys('accounts')
  const hasher = createHasher({ ...(passwords && { parameters: passwords }) })
  const clients = createClients(oidc, Date.now)
  const connection = await openConnection<AccountsTables>(place)
  try {
    await migrate(connection, [STORE, ACCOUNTS])
  } catch (error) {
    await connection.close()
    throw error
  }
  return { ...boundTo({ connection, keys, hasher, clients, origins, now: Date.now }), close: () => connection.close() }
}

function namesOf({ oidc = [] }: AccountsSettings): Accounts['providers'] {
  return oidc.map(({ id, name }) => ({ id, name }))
}
