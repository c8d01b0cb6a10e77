import {
  createMaintenance,
  createSecret,
  createThread,
  type Limits,
  migrate,
  openConnection,
  type Place,
  STORE,
} from '@headgate/store/sql'
import { type Bound, bound, boundTo } from './functions.ts'
import { createClients } from './oidc/clients.ts'
import { issuerOf, type OidcProvider } from './oidc/provider.ts'
import { createHasher, type ScryptParameters } from './passwords/hasher.ts'
import { ACCOUNTS, type Tables } from './schema/tables.ts'

/** People and organizations. Every function says who asks, checks what they may do, and throws HeadgateError. */
export type Accounts = Bound & {
  /** The OIDC providers that are configured: what a sign-in page shows. */
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  /** Lets go of the store. */
  close(): Promise<void>
}

/** All that structured cloning can carry to the thread. */
export interface AccountsSettings {
  /** The store, which is migrated by then, or else is by this. */
  readonly place: Place
  /** The secret of the program, `new,old,…`: at least 32 characters each. */
  readonly secret: string
  /** Origins that people come by, such as `https://headgate.example`. What browsers ask from elsewhere is refused. */
  readonly origins: readonly string[]
  readonly oidc?: readonly OidcProvider[]
  /** How passwords are hashed from now on; default N = 2^15, r = 8, p = 3. */
  readonly passwords?: ScryptParameters
}

export interface AccountsOptions extends AccountsSettings {
  /** Told what an operator should know. */
  onProblem(message: string): void
}

export type AccountsCalls = Bound & { close(): Promise<void> }

/** A provider is asked several times, each with a limit of its own. */
const LIMITS: Limits<AccountsCalls> = { finishOidc: 60_000, testOidc: 30_000 }
/** How often what is over is deleted, in milliseconds. */
const FORGET = 3_600_000

/** Opens the accounts of a store, in a thread of their own. @throws HeadgateError for settings that are wrong. */
export function openAccounts({ onProblem, ...settings }: AccountsOptions): Accounts {
  createSecret(settings.secret)
  for (const provider of settings.oidc ?? []) issuerOf(provider)
  const file = new URL(`./accounts.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
  const thread = createThread<AccountsCalls>({ file, data: settings, onTold: () => {}, onProblem, limits: LIMITS })
  const functions = bound((name, args) => thread.call(name, ...(args as never)))
  const forgetting = createMaintenance({
    step: () => functions.forget(),
    onProblem: (error) => onProblem(`What is over of accounts could not be deleted: ${String(error)}`),
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

/** The same in the thread that asks, for a command: SQLite answers at once, and its thread waits. */
export async function openAccountsHere(settings: AccountsSettings): Promise<Accounts> {
  return { ...(await openCalls(settings)), providers: namesOf(settings) }
}

/** Opens the store, brings it to the newest version, and has the functions run here. */
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
  const connection = await openConnection<Tables>(place)
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
