import { enabledEntries } from '@headgate/discovery'
import type { RowReceiverPlace } from '@headgate/store'
import type { TracedProvider, TraceReceiverData } from '@headgate/telemetry'
import type { Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import type { Inventory } from '../service/inventory.ts'

/** Receivers of usage rows that export traces; empty if the export is off. */
export function traceReceivers(
  { traceExport: settings }: Pick<Settings, 'traceExport'>,
  inventory: Pick<Inventory, 'providers'>,
): readonly RowReceiverPlace[] {
  if (!settings) return []
  const data: TraceReceiverData = { settings, version, providers: providerFacts(inventory) }
  return [{ module: import.meta.resolve('@headgate/telemetry/receiver'), data }]
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
