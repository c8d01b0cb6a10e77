import { enabledEntries } from '@headgate/discovery'
import type { UsageRow } from '@headgate/gateway'
import type { RowReceiverPlace } from '@headgate/store'
import {
  isSampled,
  type TracedProvider,
  type TraceReceiverData,
  type TraceSettings,
  tracePlaceOf,
} from '@headgate/telemetry'
import type { Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import type { Inventory } from '../service/inventory.ts'

/** Receivers of usage rows that export traces; empty if the export is off. @param counts memory for numbers of spans */
export function traceReceivers(
  { traceExport: settings, logExport }: Pick<Settings, 'traceExport' | 'logExport'>,
  inventory: Pick<Inventory, 'providers'>,
  counts: SharedArrayBuffer | undefined,
): readonly RowReceiverPlace[] {
  if (!settings) return []
  const data: TraceReceiverData = {
    settings,
    version,
    providers: providerFacts(inventory),
    counts,
    logs: logExport?.isAccess ? logExport : undefined,
  }
  return [{ module: import.meta.resolve('@headgate/telemetry/receiver'), data }]
}

/** Name of a configured provider in the conventions. Default: its configured name, as for search backends. */
export function genAiNameOf({ providers }: Pick<Inventory, 'providers'>, name: string): string {
  const found = enabledEntries(providers).find(({ provider, name: own = provider.name }) => own === name)
  return found?.provider.genAiName ?? name
}

/** Id of a request's trace, if it is exported. */
export function exportedTraceId(row: UsageRow, settings: TraceSettings): string | undefined {
  if (!row.trace) return undefined
  const { traceId } = tracePlaceOf(row)
  return isSampled(row, traceId, settings) ? traceId : undefined
}

/** Names and hosts of providers, by the names of their entries. */
function providerFacts({ providers }: Pick<Inventory, 'providers'>): Record<string, TracedProvider> {
  return Object.fromEntries(
    enabledEntries(providers).map(({ provider, name = provider.name }) => {
      const { hostname: host, port, protocol } = new URL(provider.baseUrl ?? 'about:blank')
      const known = host === '' ? {} : { host, port: Number(port) || (protocol === 'http:' ? 80 : 443) }
      return [name, { name: provider.genAiName, ...known }]
    }),
  )
}
