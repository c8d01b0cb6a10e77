import { type Accounts, createManagementApi, type ManagementApi, type ManagementParts } from '@headgate/accounts'
import type { Gateway, HealthReport } from '@headgate/gateway'
import type { Authentication, Store, TraceBook } from '@headgate/store'
import { findSecret } from '@headgate/store'
import { alertTarget, postAlert, sampleAlert } from '@headgate/store/alerts'
import type { Settings, Surroundings } from '../config/settings.ts'
import type { Inventory } from '../service/inventory.ts'
import { createFacts } from './facts.ts'

/** What serves now. */
export interface Served {
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
  serving(): Served
  /** How providers are, as far as all processes of the program know. */
  health(): Promise<readonly HealthReport[]>
}

/** How long a test of alerts may take, in milliseconds. */
const TEST = 10_000

/** The management API of the program. */
export function createApi({ store, serving, environment, health, traces, ...parts }: ApiParts): ManagementApi {
  const target = () => {
    const { alerts } = serving().settings.config.budgets ?? {}
    return alerts && alertTarget(alerts, () => findSecret(environment, serving().settings.dataDir))
  }
  return createManagementApi({
    ...parts,
    authenticate: (credential) => serving().authenticate(credential),
    traces,
    gateway: { fetch: (request) => serving().gateway.fetch(request) },
    usage: store.usage,
    prices: store.prices,
    doubts: store.budgets,
    held: store.budgets,
    versions: store.versions,
    alerts: {
      list: store.alerts.list,
      // What a reload changes counts from then on.
      get test() {
        const to = target()
        return to && (() => postAlert(to, sampleAlert(Date.now()), AbortSignal.timeout(TEST)))
      },
    } as ManagementParts['alerts'],
    facts: createFacts({ serving, store, environment, health }),
  })
}
