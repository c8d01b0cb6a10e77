import type { Accounts, AccountsSettings, Caller, OidcProvider } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway'
import type { AccountsConfig } from '../config/accounts.ts'
import type { Settings } from '../config/settings.ts'

/** The operator: who configures the program, or stands at its machine. */
export const OPERATOR: Caller = { kind: 'system' }

/** How the accounts beside a store are opened. `secret`: of the program, as it is written. */
export function accountsSettings(
  { config, dataDir, databaseUrl }: Pick<Settings, 'config' | 'dataDir' | 'databaseUrl'>,
  secret: string,
  origins: readonly string[],
): AccountsSettings {
  const place = databaseUrl === undefined ? { file: `${dataDir}/headgate.db` } : { url: databaseUrl }
  const { oidc = [] } = config.accounts || {}
  return { place, secret, origins, oidc: oidc.map(({ title, ...one }): OidcProvider => ({ ...one, name: title })) }
}

type SignUp = Pick<AccountsConfig, 'signUp' | 'domains'>

/** Accounts whose first organization lets in whom the configuration says, as soon as it is there. */
export async function withSignUp(accounts: Accounts, config: Settings['config']['accounts']): Promise<Accounts> {
  const { signUp, domains } = config || {}
  if (signUp === undefined && domains === undefined) return accounts
  const wanted = { ...(signUp && { signUp }), ...(domains && { domains }) }
  const settle = () => settleSignUp(accounts, wanted)
  await settle()
  const after = async <T>(making: Promise<T>): Promise<T> => {
    const made = await making
    await settle()
    return made
  }
  return {
    ...accounts,
    claimFirst: (...args) => after(accounts.claimFirst(...args)),
    addByOperator: (...args) => after(accounts.addByOperator(...args)),
  }
}

/** The organization is there once somebody is. */
async function settleSignUp(accounts: Accounts, wanted: SignUp): Promise<void> {
  const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
  try {
    const { signUp, domains } = await accounts.readOrganization(OPERATOR, FIRST_ORGANIZATION)
    const next = { signUp, domains, ...wanted }
    if (signUp === next.signUp && domains.join() === next.domains.join()) return
    await accounts.changeOrganization(OPERATOR, FIRST_ORGANIZATION, wanted)
  } catch (error) {
    if (!HeadgateError.is(error) || error.kind !== 'not-found') throw error
  }
}
