import { randomUUID } from 'node:crypto'
import type { Accounts, ManagementOpenApi, PublicAddress } from '@headgate/accounts'
import type { ManagementHandler } from '@headgate/accounts/node'
import type { AccessRecord, HealthReport } from '@headgate/gateway'
import type { RefusalBook, Store, TraceBook } from '@headgate/store'
import { findSecretText } from '@headgate/store'
import type { AlertOutbox } from '../alerts/outbox.ts'
import type { Settings, Surroundings } from '../config/settings.ts'
import { basePathOf } from '../service/router.ts'
import { auditDestinations } from '../telemetry/audit/destinations.ts'
import { type AuditExport, startAuditExport } from '../telemetry/audit/export.ts'
import type { CurrentServing } from './api.ts'
import { accountsSettings, withSignUp } from './people.ts'

/** Accounts and their management API. */
export interface Management {
  readonly accounts: Accounts
  /** Public address of the program. */
  readonly address: PublicAddress
  readonly handler: ManagementHandler
  /** Management paths of the OpenAPI document. */
  openapi(): ManagementOpenApi
  /** Closes the store connection; called after the handler is closed. */
  end(): Promise<void>
}

export interface ManagementOptions extends Pick<Surroundings, 'environment'> {
  readonly settings: Settings
  readonly store: Store
  readonly traces: TraceBook
  readonly refusals: RefusalBook
  readonly outbox: AlertOutbox
  /** Port that the program listens on. */
  readonly port: number
  serving(): CurrentServing
  health(): Promise<readonly HealthReport[]>
  onAccess(record: AccessRecord): void
  onWarning(message: string): void
  onProblem(message: string): void
}

/** Interval of checks for statements to mail, in milliseconds. */
const STATEMENTS = 300_000

/** Opens the accounts of a store in a separate thread. @throws HeadgateError for invalid settings. */
export async function openManagement({
  settings,
  environment,
  port,
  ...parts
}: ManagementOptions): Promise<Management> {
  const { onProblem, store, serving, health, traces, refusals, outbox } = parts
  const [{ openAccounts, publicAddress }, { createMailer, createManagementHandler }] = await Promise.all([
    import('@headgate/accounts'),
    import('@headgate/accounts/node'),
  ])
  const isSecure = settings.config.server?.tls !== undefined
  const address = publicAddress({ publicUrl: settings.publicUrl, isSecure }, port)
  const { url, origins } = address
  const basePath = basePathOf(settings.publicUrl)
  const opened = openAccounts({
    ...accountsSettings(settings, findSecretText(environment, settings.dataDir), origins),
    onProblem,
  })
  const { smtp } = settings.config.accounts || {}
  const mailer = smtp && createMailer({ smtp, url })
  outbox.setMail(mailer?.send)
  let exporting: AuditExport | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  const end = async () => {
    clearInterval(timer)
    mailer?.close()
    await exporting?.end()
    await opened.close()
  }
  try {
    const accounts = await withSignUp(opened, settings.config.accounts)
    const { createApi } = await import('./api.ts')
    exporting = startAuditExport({
      source: accounts,
      destinations: auditDestinations(settings),
      holder: randomUUID(),
      onProblem,
    })
    const api = createApi({
      accounts,
      store,
      serving,
      health,
      traces,
      refusals,
      outbox,
      environment,
      origins,
      basePath,
      mail: mailer?.send,
      onProblem,
    })
    if (mailer)
      // The next attempt follows; an unreachable store is reported by others.
      timer = setInterval(() => void api.mailStatements().catch(() => {}), STATEMENTS).unref()
    return {
      accounts,
      address,
      end,
      handler: createManagementHandler({
        api,
        trustedProxies: () => serving().settings.config.server?.trustedProxies,
        ...address,
        ...parts,
      }),
      openapi: api.openapi,
    }
  } catch (error) {
    await end()
    throw error
  }
}
