import type { Authenticate } from '@headgate/gateway'
import type { PriceBook } from '@headgate/gateway/ports'
import type { BudgetAlert, DoubtEnd, HeldAmount, HeldQuery, Release, SilentLife } from '@headgate/store'
import type { Accounts } from '../accounts.ts'
import type { Facts } from './facts.ts'
import type { Trace } from './trace.ts'
import type { UsageBook } from './usage.ts'

/** Something that somebody gets by mail. */
export interface Mail {
  readonly to: string
  /** A link to a new password or a new account, an invite; or that there is an account already. */
  readonly kind: 'reset' | 'sign-up' | 'invite' | 'known'
  /** An address of the gateway, with a token in its fragment; absent of `known`. */
  readonly link?: string
}

/** What the management API works with. */
export interface ManagementParts {
  readonly accounts: Accounts
  /**
   * Who holds the key of `Authorization: Bearer`; undefined for nobody. A key with the scope `admin` may do what admins
   * of its organization (`owners.organization`, default the first one) may; its `addresses` are checked here.
   */
  readonly authenticate: Authenticate
  /** What was used: a store's `usage`. */
  readonly usage: UsageBook
  /** What models cost when: a store's `prices`. Absent = how a cost came about is not told. */
  readonly prices?: PriceBook
  /** What processes have left in doubt: a store's `budgets`. */
  readonly doubts: {
    silent(): Promise<readonly SilentLife[]>
    end(life: string, how: DoubtEnd): Promise<boolean>
  }
  /** Amounts that budgets hold for unknown costs: a store's `budgets`. */
  readonly held: {
    held(query?: HeldQuery): Promise<readonly HeldAmount[]>
    releaseHeld(release: Release): Promise<HeldAmount | undefined>
  }
  readonly alerts: {
    /** The newest first: a store's `alerts`. */
    list(limit?: number): Promise<readonly BudgetAlert[]>
    /**
     * Sends an alert that means nothing wherever alerts go. Absent where they go nowhere. @throws HeadgateError where
     * it can not be sent.
     */
    test?(): Promise<void>
  }
  /** What went over the wire for a request. Absent = nothing is kept. */
  readonly traces?: { read(requestId: string): Promise<Trace | undefined> }
  /** Serves a request of a model path, as a gateway does: what pages ask models by. Absent = they ask none. */
  readonly gateway?: { fetch(request: Request): Promise<Response> }
  /** What only the gateway knows. */
  readonly facts: Facts
  /**
   * Numbers that rise with each change, by what has changed: a store's `versions`. Without it nobody hears of these.
   */
  readonly versions?: () => Promise<Readonly<Record<string, number>>>
  /**
   * Origins that people come by, as `openAccounts` has them; the first is that of links. Cookies are `Secure` where all
   * are https.
   */
  readonly origins: readonly string[]
  /** Path below which browsers reach the gateway, as `/models`, without a slash at its end. Default: none. */
  readonly basePath?: string | undefined
  /**
   * Sends mail; absent = none is configured, and links are shown to whoever makes them. Nobody who asks waits for it.
   */
  readonly mail?: ((mail: Mail) => Promise<void>) | undefined
  /** Default `/api/v1`. */
  readonly path?: string
  /** Unix milliseconds. */
  readonly now?: () => number
  /** Told what an operator should know. */
  onProblem(message: string): void
}

/** From where a request comes. */
export interface Peer {
  /** IP address, as the socket, or a proxy that is trusted, says it. */
  readonly address: string
}
