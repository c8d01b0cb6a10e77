import type { Accounts, AccountsSettings, Caller, OidcProvider } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway'
import type { AccountsConfig } from '../config/accounts.ts'
import type { Settings } from '../config/settings.ts'

/** The operator: anyone who configures the program or runs commands on its machine. */
export const OPERATOR: Caller = { kind: 'system' }

/** Settings for opening the accounts of a store. @param secret text of the program's secret */
export function accountsSettings(
  { config, dataDir, databaseUrl }: Pick<Settings, 'config' | 'dataDir' | 'databaseUrl'>,
  secret: string,
  origins: readonly string[],
): AccountsSettings {
  const { connections } = config.store ?? {}
  const place = databaseUrl === undefined ? { file: `${dataDir}/headgate.db` } : { url: databaseUrl, connections }
  const { oidc = [] } = config.accounts || {}
  return { place, secret, origins, oidc: oidc.map(({ title, ...one }): OidcProvider => ({ ...one, name: title })) }
}

type SignUpConfig = Pick<AccountsConfig, 'signUp' | 'domains'>

/** Accounts whose first organization gets the configured sign-up settings as soon as it exists. */
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

/** Applies sign-up settings. The organization exists once there is a user. */
async function settleSignUp(accounts: Accounts, wanted: SignUpConfig): Promise<void> {
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
