import { createSecret, STORE } from '@headgate/store/sql'
import { stores as storeKinds } from '../../../store/test/support/stores.ts'
import { type BoundFunctions, boundTo } from '../../src/functions.ts'
import { createClients } from '../../src/oidc/clients.ts'
import type { OidcProvider } from '../../src/oidc/provider.ts'
import type { Parts } from '../../src/parts.ts'
import { createHasher } from '../../src/passwords/hasher.ts'
import { type Caller, callerOf, type RequestOrigin } from '../../src/roles/caller.ts'
import type { Role } from '../../src/roles/roles.ts'
import { ACCOUNTS, type AccountsConnection } from '../../src/schema/tables.ts'
import type { NewSession } from '../../src/sessions/sessions.ts'

export { describeStores } from '../../../store/test/support/stores.ts'

export const START = 1_700_000_000_000
export const PASSWORD = 'correct horse battery staple'
/** Passwords cost next to nothing here. */
export const CHEAP = { ln: 4, r: 8, p: 1 } as const
export const HERE: RequestOrigin = { address: '192.0.2.1', agent: 'a browser' }
export const SYSTEM: Caller = { kind: 'system' }
export const NOBODY: Caller = { kind: 'anonymous', ...HERE }
export const ORIGIN = 'http://localhost:8787'

/** The accounts of one store, with a clock that only the test moves. */
export interface Opened extends BoundFunctions {
  readonly parts: Parts
  /** Moves the clock, by milliseconds. */
  later(by: number): void
}

export interface OpenOptions {
  readonly oidc?: readonly OidcProvider[]
  readonly parts?: Partial<Parts>
}

export function openOver(connection: AccountsConnection, { oidc = [], parts: own }: OpenOptions = {}): Opened {
  let time = START
  const now = () => time
  const parts: Parts = {
    connection,
    hasher: createHasher({ parameters: CHEAP }),
    keys: createSecret('0123456789abcdef0123456789abcdef').subKeys('accounts'),
    clients: createClients(oidc, now),
    origins: [ORIGIN],
    now,
    ...own,
  }
  return { ...boundTo(parts), parts, later: (by) => (time += by) }
}

/** A kind of store that the same tests run on, with accounts over it. */
export function stores() {
  return storeKinds([STORE, ACCOUNTS]).map(({ name, open, openTwice }) => ({
    name,
    open: async (options: OpenOptions = {}) => openOver((await open()) as AccountsConnection, options),
    /**
     * The same over two connections, or over one where there can be one only. Two of SQLite wait for each other on one
     * thread.
     */
    openTwice: async () => {
      const [one, other] =
        name === 'Postgres' && openTwice ? await openTwice() : await open().then((only) => [only, only] as const)
      return [openOver(one as AccountsConnection), openOver(other as AccountsConnection)] as const
    },
  }))
}

/** Makes the first account, and returns its owner. */
export async function claim(
  accounts: BoundFunctions,
  email = 'owner@example.com',
): Promise<Caller & { kind: 'person' }> {
  const { token } = await accounts.firstLink()
  return callerFrom(await accounts.claimFirst(token, { email, name: 'Olive Owner', password: PASSWORD }, HERE))
}

/** Somebody more in an organization, signed in. */
export async function join(
  accounts: BoundFunctions,
  role: Role,
  name: string,
  organization?: string,
): Promise<Caller & { kind: 'person' }> {
  const added = { email: `${name}@example.com`, name, role, ...(organization && { organization }) }
  const { token } = await accounts.addByOperator(SYSTEM, added)
  return callerFrom(await accounts.resetPassword(token, PASSWORD, HERE))
}

export function callerFrom({ session }: NewSession): Caller & { kind: 'person' } {
  const caller = callerOf(session, HERE)
  if (caller.kind !== 'person') throw new TypeError('A session is of a person.')
  return caller
}

/** All rows of tables, as text: whatever is stored in clear is in it. */
export async function everything({ connection }: Parts): Promise<string> {
  const tables = [
    'people',
    'identities',
    'memberships',
    'invites',
    'links',
    'sessions',
    'passkeys',
    'flows',
    'sign_in_failures',
    'audit',
  ] as const
  const rows = await Promise.all(tables.map((table) => connection.db.selectFrom(table).selectAll().execute()))
  return rows
    .flat()
    .map((row) => Object.values(row).map(String).join(' '))
    .join('\n')
}

/** Actions of the audit log of the first organization, with their targets. */
export async function audited({ parts }: Opened): Promise<readonly string[]> {
  const rows = await parts.connection.db.selectFrom('audit').select(['action', 'result']).execute()
  return rows.map(({ action, result }) => (result === 'done' ? action : `${action} ${result}`)).sort()
}
