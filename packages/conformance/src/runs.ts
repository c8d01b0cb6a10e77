import type { ProviderInstance } from '@headgate/gateway'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { FormatFacts } from './families/chat/facts.ts'

/** Scope of one run of a kit's checks. */
export interface KitRun<Config> {
  readonly adapter: Adapter<Config>
  readonly facts: ProviderFacts<Config>
  /** Format under test, if the provider supports several. */
  readonly format?: string
}

/**
 * Runs of a kit, by format of the provider. The first covers all callers and all other families; each other run covers
 * only the chat of callers of its format.
 */
export function runsOf<Config>(adapter: Adapter<Config>, facts: ProviderFacts<Config>): readonly KitRun<Config>[] {
  const {
    also = [],
    embeddings: _,
    rerank: ____,
    video: __,
    transcription: _____,
    moderations: ______,
    images: _______,
    ...rest
  } = facts
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
        ({
          embeddings: _,
          rerank: ____,
          video: __,
          transcription: _____,
          moderations: ______,
          images: _______,
          models: ___,
          ...provider
        }) => provider,
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
