import { createGateway, type Gateway, type Principal, type ProviderInstance } from '@headgate/gateway'

/** Path of the gateway within the servers of these examples. */
export const BASE_PATH = '/ai'

/** Functions of the surrounding application. */
export interface Application {
  readonly providers: readonly ProviderInstance[]
  /** Finds the owner of a key, for example in a session store or a table. Replaces the gateway's keys. */
  findUser(key: string): Promise<Principal | undefined>
  /** Records the spending of a user, in integer nano-dollars; null if a price or a count is unknown. */
  book(user: string, nanoDollars: number | null): Promise<void>
}

/** Gateway with the application's users and accounting. A response ends after its cost is recorded. */
export function createApplicationGateway({ providers, findUser, book }: Application): Gateway {
  return createGateway({
    basePath: BASE_PATH,
    providers,
    authenticate: findUser,
    ledger: { settle: ({ billed, principal, cost }) => (billed ? book(principal, cost) : undefined) },
  })
}
