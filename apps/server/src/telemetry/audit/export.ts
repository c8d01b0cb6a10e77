import { setTimeout as delay } from 'node:timers/promises'
import type { Accounts, AuditEntry, AuditLease } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway/ports'

/** Destination of audit entries. */
export interface AuditDestination {
  /** Name, under which its position is stored. */
  readonly name: string
  /** Resolves when the destination has accepted the entries. Rejects with the reason otherwise. */
  deliver(entries: readonly AuditEntry[], signal: AbortSignal): Promise<void>
  close?(): Promise<void>
}

/** Functions of the accounts that an export calls. */
export type AuditSource = Pick<
  Accounts,
  'claimAuditExport' | 'releaseAuditExport' | 'readAuditExport' | 'advanceAuditExport'
>

export interface AuditExportParts {
  readonly source: AuditSource
  readonly destinations: readonly AuditDestination[]
  /** Id of this process. */
  readonly holder: string
  /** Called once when a destination fails, and once when it recovers. */
  onProblem(message: string): void
  /** Waits; rejects if the signal aborts. Tests replace it. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
  /** Time that the export stays with a process after its last batch, in milliseconds. Tests shorten it. */
  readonly heldForMs?: number | undefined
}

/** Running exports of audit entries. */
export interface AuditExport {
  /** Aborts deliveries, and leaves the exports to other processes. */
  end(): Promise<void>
}

/** Entries of a batch: at most some megabytes. */
const BATCH = 200
/** Time that a process has an export after its last delivery, in milliseconds; longer than a delivery. */
const HELD_FOR = 45_000
/** Maximum time of a delivery in milliseconds. */
const DELIVERY = 20_000
/** Pause without new entries, in milliseconds. */
const IDLE = 5_000
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000

/**
 * Exports audit entries to destinations. One of the processes that share a store exports to each destination; another
 * one takes over if it stops. An entry is repeated if a process ends between its delivery and the store of its position.
 */
export function startAuditExport(parts: AuditExportParts): AuditExport {
  const ending = new AbortController()
  const running = parts.destinations.map((destination) => run(parts, destination, ending.signal))
  return {
    async end() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

async function run(parts: AuditExportParts, destination: AuditDestination, ended: AbortSignal): Promise<void> {
  const { source, holder, onProblem, wait = waitFor, heldForMs = HELD_FOR } = parts
  const lease: AuditLease = { destination: destination.name, holder }
  let failures = 0
  while (!ended.aborted) {
    let pause = IDLE
    try {
      const isMore = await exportSome({ source, destination, lease, heldForMs }, ended)
      if (failures > 0) onProblem(`Audit entries are sent to ${destination.name} again.`)
      failures = 0
      if (isMore) continue
    } catch (error) {
      if (ended.aborted) break
      failures += 1
      pause = Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE)
      if (failures === 1)
        onProblem(`Audit entries cannot be sent to ${destination.name} and are retried: ${reasonOf(error)}.`)
    }
    await wait(pause, ended).catch(() => {})
  }
  await source.releaseAuditExport(lease).catch(() => {})
  await destination.close?.().catch(() => {})
}

interface BatchParts {
  readonly source: AuditSource
  readonly destination: AuditDestination
  readonly lease: AuditLease
  readonly heldForMs: number
}

/** Exports one batch. Resolves with true if there may be more. */
async function exportSome({ source, destination, lease, heldForMs }: BatchParts, ended: AbortSignal): Promise<boolean> {
  if (!(await source.claimAuditExport(lease, heldForMs))) return false
  const { entries, upTo } = await source.readAuditExport(destination.name, BATCH)
  if (entries.length === 0) return false
  await destination.deliver(entries, AbortSignal.any([ended, AbortSignal.timeout(DELIVERY)]))
  return (await source.advanceAuditExport(lease, upTo)) && entries.length === BATCH
}

function waitFor(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, undefined, { signal, ref: false })
}

function reasonOf(error: unknown): string {
  if (HeadgateError.is(error)) return error.message.replace(/\.$/, '')
  if (!(error instanceof Error)) return 'the connection failed'
  return 'code' in error ? String(error.code) : error.message
}
