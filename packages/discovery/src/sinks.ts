import { pathToFileURL } from 'node:url'
import type { SinkInstance } from '@headgate/core/sink'
import type { FoundAdapter } from './adapter.ts'
import { type AdapterChoice, givenConfig, notInstalled } from './choice.ts'
import { configure } from './configure.ts'
import { entryFile, runsFromSource } from './entry.ts'
import type { EntryConfig } from './kinds.ts'
import { everyOf } from './problems.ts'

/** Entry of `sinks`. Other fields are the adapter's configuration. */
export interface SinkConfig extends EntryConfig {
  /** Maximum bytes of waiting rows. */
  readonly maxBacklog?: number | undefined
}

/** Sink whose configuration is valid. Another thread can create it from its module. */
export interface ConfiguredSink {
  readonly name: string
  /** Id of the adapter. */
  readonly id: string
  /** URL of the module that exports the adapter. */
  readonly module: string
  readonly config: Readonly<Record<string, unknown>>
  readonly maxBacklog?: number | undefined
  /** Origins that are connected to only at public addresses, since the configuration does not name their hosts. */
  readonly publicOrigins: readonly string[]
}

const OWN = ['adapter', 'enabled', 'maxBacklog']
const KIND = { at: ['sinks'], packages: '@headgate/sink-' }

type SinkFactory = (config: Record<string, unknown>) => SinkInstance

/**
 * Configures the sinks of a configuration. Sinks that it does not name are not used.
 * @throws HeadgateError that lists the problems of all sinks.
 */
export function configureSinks(choice: AdapterChoice<SinkInstance, SinkConfig>): Promise<ConfiguredSink[]> {
  const enabled = Object.entries(choice.configured).filter(([, { enabled }]) => enabled !== false)
  return everyOf(enabled.map(([name, entry]) => configured(name, entry, choice)))
}

async function configured(
  name: string,
  entry: SinkConfig,
  choice: AdapterChoice<SinkInstance, SinkConfig>,
): Promise<ConfiguredSink> {
  const { adapter: id = name, maxBacklog } = entry
  const adapter = choice.adapters.find((one) => one.id === id)
  if (!adapter) throw notInstalled(KIND, name, id, choice.adapters)
  const loaded = await adapter.load()
  const config = givenConfig(OWN, loaded, name, choice)
  const sink = configure(loaded, config, { path: [...KIND.at, name], also: OWN, takesEnvironment: name === id })
  return { name, id, module: moduleOf(adapter), config, maxBacklog, publicOrigins: publicOrigins(sink, entry) }
}

function moduleOf({ package: adapter }: Pick<FoundAdapter<SinkFactory>, 'package'>): string {
  return pathToFileURL(entryFile(adapter, runsFromSource())).href
}

/** Origin of a sink, unless a field of its entry names the host. */
function publicOrigins({ baseUrl }: SinkInstance, entry: SinkConfig): readonly string[] {
  if (baseUrl === undefined) return []
  const { origin, host } = new URL(baseUrl)
  const isNamed = Object.values(entry).some((value) => typeof value === 'string' && isHost(value, host))
  return isNamed ? [] : [origin]
}

/** True if a URL has a host, or the host begins with a label before the URL's host, such as a bucket. */
function isHost(value: string, host: string): boolean {
  const named = URL.canParse(value) ? new URL(value).host : ''
  return named !== '' && (host === named || host.endsWith(`.${named}`))
}
