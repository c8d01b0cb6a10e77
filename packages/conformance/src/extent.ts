import type { ProviderInstance } from '@headgate/gateway'
import type { Adapter, ProviderFacts } from './facts.ts'

/**
 * Amount of what is checked. `short` leaves out what core decides alone: each scenario for callers of other formats,
 * the ways in which a stream is cut, and each failure twice.
 */
export type Extent = 'short' | 'whole'

/** Extent that the environment asks for. */
export function wantedExtent(): Extent {
  return process.env['HEADGATE_KIT'] === 'short' ? 'short' : 'whole'
}

/** Codecs, and facts of families, that were checked before. */
const checked = new WeakSet<object>()

/**
 * Extent of the checks of a provider: with `HEADGATE_KIT=short` it is short if each of its formats belongs to core, or
 * was checked before; else whole.
 */
export function extentOf<Config>(adapter: Adapter<Config>, { config }: Pick<ProviderFacts<Config>, 'config'>): Extent {
  if (wantedExtent() === 'whole') return 'whole'
  return codecsOf(adapter(config)).filter(isNew).length > 0 ? 'whole' : 'short'
}

/** Codecs that the provider brings; itself if it runs in this process. */
function codecsOf(provider: ProviderInstance): object[] {
  return (provider.chat ?? []).flatMap((one) =>
    'run' in one ? provider : typeof one.format === 'object' ? one.format : [],
  )
}

/** Whether a codec, or facts of a family, are checked for the first time in this process. */
export function isNew(subject: object): boolean {
  const isFirst = !checked.has(subject)
  checked.add(subject)
  return isFirst
}
