import type { Authenticate } from '@headgate/gateway'
import type { PriceBook } from '@headgate/gateway/ports'
import type {
  AlertDestination,
  BudgetAlert,
  HeldAmount,
  HeldQuery,
  OrphanOutcome,
  RefusalBook,
  Release,
  RequestUsage,
  SilentRun,
  UnpricedModel,
  UnpricedRequests,
} from '@headgate/store'
import type { Accounts } from '../accounts.ts'
import type { CredentialDesk } from './credentials.ts'
import type { ManagementFacts } from './facts.ts'
import type { Trace } from './trace.ts'
import type { UsageBook } from './usage.ts'

/** Mail to a person. */
export interface Mail {
  readonly to: string
  /** Kind: a link to a new password or account, an invitation, or a notice that the account already exists. */
  readonly kind: 'reset' | 'sign-up' | 'invite' | 'known' | 'alert' | 'statement'
  /** Address of the gateway with a token in its fragment; absent for `known`, `alert` and `statement`. */
  readonly link?: string
  readonly alert?: { readonly subject: string; readonly text: string }
  readonly statement?: { readonly subject: string; readonly text: string; readonly file: MailFile }
}

/** Attachment as CSV. */
export interface MailFile {
  readonly name: string
  readonly content: string
}

/** Dependencies of the management API. */
export interface ManagementParts {
  readonly accounts: Accounts
  /**
   * Resolves with the principal of the key in `Authorization: Bearer`; undefined for an unknown key. A key with the
   * scope `admin` has the permissions of admins in its organization (`owners.organization`, default the first). Its
   * `addresses` are checked here.
   */
  readonly authenticate: Authenticate
  /** Usage: a store's `usage`. */
  readonly usage: UsageBook
  /** Price history: a store's `prices`. Absent = responses do not explain costs. */
  readonly prices?: PriceBook
  /** Prices for requests that had none: a store's `prices`. Absent = they stay unknown. */
  readonly repricing?: {
    unpriced(model: UnpricedModel): Promise<UnpricedRequests>
    reprice(model: UnpricedModel): Promise<number>
  }
  /** Orphaned leases: a store's `budgets`. */
  readonly orphanedLeases: {
    silent(): Promise<readonly SilentRun[]>
    end(run: string, how: OrphanOutcome): Promise<boolean>
  }
  /** Amounts held for unknown costs: a store's `budgets`. */
  readonly held: {
    held(query?: HeldQuery): Promise<readonly HeldAmount[]>
    releaseHeld(release: Release): Promise<HeldAmount | undefined>
  }
  readonly alerts: {
    /** Alerts, newest first: a store's `alerts`. */
    list(limit?: number): Promise<readonly BudgetAlert[]>
    /** Sends a test alert. Absent if no alert URL is configured. @throws HeadgateError if it cannot be sent. */
    test?(): Promise<void>
  }
  /** Traces of requests. Absent = no traces are stored. */
  readonly traces?: { read(requestId: string): Promise<Trace | undefined> }
  /** Messages of failed requests: a refusal book. Absent = no messages are stored. */
  readonly words?: Pick<RefusalBook, 'read'> | undefined
  /** Page of the trace of a request; undefined if its trace was not exported. Absent = no system is configured. */
  traceUrlOf?(row: RequestUsage): string | undefined
  /** Serves requests of model paths for the playground. Absent = no playground. */
  readonly gateway?: { fetch(request: Request): Promise<Response> }
  /** Facts that only the gateway knows. */
  readonly facts: ManagementFacts
  /** Addresses of alert destinations. Absent = they can be set in the configuration only. */
  readonly destinations?:
    | {
        /** Checks and encrypts an address. @throws HeadgateError `invalid-request` */
        seal(
          of: Pick<AlertDestination, 'id' | 'kind'>,
          address: string,
        ): Promise<{ readonly sealed: string; readonly shown: string }>
        /** True if a destination gets alerts of budgets. */
        hasSpend(): Promise<boolean>
        /** Sends a test alert. @throws HeadgateError */
        test(id: string): Promise<void>
      }
    | undefined
  /** Credentials of providers. Absent = they can be set in the configuration only. */
  readonly credentials?: CredentialDesk | undefined
  /** Numbers by topic that increase with each change: a store's `versions`. Absent = no events for these topics. */
  readonly versions?: () => Promise<Readonly<Record<string, number>>>
  /** Allowed origins, as for `openAccounts`; links use the first. Cookies are `Secure` if all origins are https. */
  readonly origins: readonly string[]
  /** Path below which browsers reach the gateway, such as `/models`; no trailing slash. Default: none. */
  readonly basePath?: string | undefined
  /** Sends mail in the background. Absent = no mail is configured, and links are shown to their creators. */
  readonly mail?: ((mail: Mail) => Promise<void>) | undefined
  /** Default: `/api/v1`. */
  readonly path?: string
  /** Current time in Unix milliseconds. */
  readonly now?: () => number
  /** Receives problems that an operator should know. */
  onProblem(message: string): void
}

/** Network peer of a request. */
export interface Peer {
  /** IP address of the socket, or from a trusted proxy. */
  readonly address: string
}
