import { createGateway, type Gateway, type Principal, type ProviderInstance } from '@headgate/gateway'

/** Where the gateway lives within the servers of these examples. */
export const BASE_PATH = '/ai'

/** What the gateway takes from the application around it. */
export interface Application {
  readonly providers: readonly ProviderInstance[]
  /** Who holds a key, in place of keys of the gateway's own: a look-up in a session store, a table, a token. */
  findUser(key: string): Promise<Principal | undefined>
  /** Books what a user has spent, in integer nano-dollars; null when a price or a count is not known. */
  book(user: string, nanoDollars: number | null): Promise<void>
}

/** A gateway with the application's own users and books. The end of an answer waits until it is booked. */
export function createApplicationGateway({ providers, findUser, book }: Application): Gateway {
  return createGateway({
    basePath: BASE_PATH,
    providers,
    authenticate: findUser,
    ledger: { settle: ({ billed, principal, cost }) => (billed ? book(principal, cost) : undefined) },
  })
}
