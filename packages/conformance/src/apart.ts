import type { ProviderInstance } from '@headgate/gateway'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { FormatFacts } from './families/chat/facts.ts'

/** What a kit checks at a time. */
export interface Examined<Config> {
  readonly adapter: Adapter<Config>
  readonly facts: ProviderFacts<Config>
  /** The format, of a provider that speaks several. */
  readonly format?: string
}

/**
 * A provider that speaks several formats as one of each: the first for all callers and with all that the provider
 * serves beside, the others with their chat alone, for callers of theirs.
 */
export function apart<Config>(adapter: Adapter<Config>, facts: ProviderFacts<Config>): readonly Examined<Config>[] {
  const { also = [], embeddings: _, rerank: ____, video: __, ...rest } = facts
  const { upstream } = facts
  if (upstream?.format === undefined || also.length === 0) return [{ adapter, facts }]
  const { models: ___, ...place } = upstream
  const first = { adapter: speaking(adapter, upstream.format), facts, format: upstream.format }
  return [
    first,
    ...also.map((other) => ({
      adapter: speaking(
        adapter,
        other.format,
        ({ embeddings: _, rerank: ____, video: __, models: ___, ...provider }) => provider,
      ),
      facts: { ...rest, upstream: { ...place, callers: [other.format], ...other } as FormatFacts },
      format: other.format,
    })),
  ]
}

function speaking<Config>(
  adapter: Adapter<Config>,
  format: string,
  serving: (provider: ProviderInstance) => ProviderInstance = (provider) => provider,
): Adapter<Config> {
  const build = (config: Config): ProviderInstance => {
    const provider = serving(adapter(config))
    const chat = provider.chat?.filter((support) => 'format' in support && support.format === format)
    return { ...provider, ...(chat && { chat }) }
  }
  return Object.assign(build, adapter)
}
