import type { ProviderInstance } from '@headgate/gateway'
import type { Adapter, ProviderFacts } from './facts.ts'

/**
 * Scope of the checks. `short` skips what only core decides: each scenario for callers of other formats, the chunkings
 * of a stream, and the repetition of each failure.
 */
export type TestScope = 'short' | 'whole'

/** Test scope from the environment. */
export function requestedScope(): TestScope {
  return process.env['HEADGATE_KIT'] === 'short' ? 'short' : 'whole'
}

/** Codecs and family facts that were checked before in this process. */
const checked = new WeakSet<object>()

/**
 * Test scope of a provider. With `HEADGATE_KIT=short`, it is short if each of its formats belongs to core or was
 * checked before; otherwise whole.
 */
export function testScopeOf<Config>(
  adapter: Adapter<Config>,
  { config }: Pick<ProviderFacts<Config>, 'config'>,
): TestScope {
  if (requestedScope() === 'whole') return 'whole'
  return codecsOf(adapter(config)).filter(isNew).length > 0 ? 'whole' : 'short'
}

/** Codecs that the provider supplies; the provider itself if it runs in-process. */
function codecsOf(provider: ProviderInstance): object[] {
  return (provider.chat ?? []).flatMap((one) =>
    'run' in one ? provider : typeof one.format === 'object' ? one.format : [],
  )
}

/** Tells if a codec or the facts of a family are checked for the first time in this process. */
export function isNew(target: object): boolean {
  const isFirst = !checked.has(target)
  checked.add(target)
  return isFirst
}
