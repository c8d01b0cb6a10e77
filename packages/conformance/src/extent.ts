import type { ProviderInstance } from '@headgate/gateway'
import type { Adapter, ProviderFacts } from './facts.ts'

/**
 * How much is checked. `short` leaves out what core decides alone: every caller's format with every question in every
 * cut.
 */
export type Extent = 'short' | 'whole'

/** `HEADGATE_KIT=short` is short for providers of which nothing but data is their own; all else is whole. */
export function extentOf<Config>(adapter: Adapter<Config>, { config }: Pick<ProviderFacts<Config>, 'config'>): Extent {
  return process.env['HEADGATE_KIT'] === 'short' && isData(adapter(config)) ? 'short' : 'whole'
}

/** Whether a provider speaks chat completions as core does: no hook of its own sees an answer. */
function isData({ chat = [] }: ProviderInstance): boolean {
  return (
    chat.length > 0 &&
    chat.every(
      (one) =>
        'format' in one && one.format === 'chat-completions' && !one.patchResponse && !one.patchFrame && !one.framing,
    )
  )
}
