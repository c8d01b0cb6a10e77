import { type Accounts, createManagementApi, type ManagementApi, type ManagementParts } from '@headgate/accounts'
import type { Gateway, HealthReport } from '@headgate/gateway'
import type { Authentication, RefusalBook, Store, TraceBook } from '@headgate/store'
import { findSecret } from '@headgate/store'
import { alertTarget, postAlert, sampleAlert } from '@headgate/store/alerts'
import type { AlertOutbox } from '../alerts/outbox.ts'
import type { Settings, Surroundings } from '../config/settings.ts'
import { createCredentialDesk } from '../credentials/desk.ts'
import type { Inventory } from '../service/inventory.ts'
import { traceUrlOf } from '../telemetry/trace-url.ts'
import { createFacts } from './facts.ts'

/** Parts of the program that serve now. */
export interface CurrentServing {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly authenticate: Authentication
  readonly gateway: Pick<Gateway, 'fetch'>
}

export interface ApiParts
  extends Pick<Surroundings, 'environment'>,
    Pick<ManagementParts, 'origins' | 'basePath' | 'mail' | 'onProblem'> {
  readonly accounts: Accounts
  readonly store: Store
  readonly traces: TraceBook
  readonly refusals: RefusalBook
  readonly outbox: AlertOutbox
  serving(): CurrentServing
  /** Health of providers, combined from all processes of the program. */
  health(): Promise<readonly HealthReport[]>
}

/** Time limit of a test alert in milliseconds. */
const TEST = 10_000

/** Management API of the program. */
export function createApi({
  outbox,
  store,
  serving,
  environment,
  health,
  traces,
  refusals,
  ...parts
}: ApiParts): ManagementApi {
  const target = () => {
    const { alerts } = serving().settings.config.budgets ?? {}
    return alerts && alertTarget(alerts, () => findSecret(environment, serving().settings.dataDir))
  }
  return createManagementApi({
    ...parts,
    authenticate: (credential) => serving().authenticate(credential),
    traces,
    words: refusals,
    traceUrlOf: (row) => traceUrlOf(row, serving().settings),
    gateway: { fetch: (request) => serving().gateway.fetch(request) },
    usage: store.usage,
    prices: store.prices,
    repricing: store.prices,
    destinations: outbox,
    orphanedLeases: store.budgets,
    held: store.budgets,
    versions: store.versions,
    alerts: {
      list: store.alerts.list,
      // Evaluated per access, so that a reload takes effect.
      get test() {
        const to = target()
        return to && (() => postAlert(to, sampleAlert(Date.now()), AbortSignal.timeout(TEST)))
      },
    } as ManagementParts['alerts'],
    facts: createFacts({ serving, store, environment, health }),
    credentials: createCredentialDesk({
      environment,
      serving,
      store: store.credentials,
      secret: () => findSecret(environment, serving().settings.dataDir),
    }),
  })
}
