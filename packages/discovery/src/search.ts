import {
  type BackendEntry,
  type BackendInstance,
  HeadgateError,
  type SearchEngine,
  type SearchOptions,
} from '@headgate/gateway'
import { type AdapterChoice, enabledEntries, givenConfig } from './choice.ts'
import { configure } from './configure.ts'
import { BACKENDS, type BackendConfig, type BackendState, type EngineConfig, type SearchConfig } from './kinds.ts'
import { everyOf, pathText } from './problems.ts'

/**
 * Search options for the gateway; undefined without engines and backends. @throws HeadgateError that names the field.
 */
export async function searchOptions(
  { default: first, engines: configured = {}, cache }: SearchConfig,
  states: readonly BackendState[],
  choice: BackendChoice,
): Promise<SearchOptions | undefined> {
  const engines = await createEngines(configured, states, choice)
  const backends = enabledEntries(states)
  const names = [...Object.keys(engines), ...backends.map(({ name, backend }) => name ?? backend.name)]
  if (first !== undefined && !names.includes(first)) throw noSuchDefault(first, names)
  if (names.length === 0) return undefined
  return {
    backends,
    engines,
    ...(first !== undefined && { default: first }),
    ...(cache?.seconds && { cacheMs: Math.round(cache.seconds * 1_000) }),
  }
}

function noSuchDefault(found: string, names: readonly string[]): HeadgateError {
  const allowed =
    names.length > 0 ? names.map((name) => JSON.stringify(name)).join(', ') : 'nothing, because no backend is enabled'
  const message = `search.default: found ${JSON.stringify(found)}, which is neither an engine nor an enabled backend; allowed: ${allowed}`
  return new HeadgateError('invalid-request', message, { param: 'search.default' })
}

/** Fields of an engine that are not settings of its backend. */
const OWN = ['backend', 'title', 'sites']

export type BackendChoice = AdapterChoice<BackendInstance, BackendConfig>

/**
 * Configured engines. An engine with separate settings, or with a backend that is not enabled otherwise, gets its own
 * instance; other engines name their backend.
 */
async function createEngines(
  configured: Readonly<Record<string, EngineConfig>>,
  states: readonly BackendState[],
  choice: BackendChoice,
): Promise<Record<string, SearchEngine>> {
  const engines = await everyOf(
    Object.entries(configured).map(async ([cx, config]): Promise<[string, SearchEngine]> => {
      const { title, sites } = config
      const engine = {
        backend: await backendOf(cx, config, states, choice),
        ...(title && { title }),
        ...(sites && { sites }),
      }
      return [cx, engine]
    }),
  )
  return Object.fromEntries(engines)
}

async function backendOf(
  cx: string,
  { backend: name, title: _, sites: __, ...settings }: EngineConfig,
  states: readonly BackendState[],
  choice: BackendChoice,
): Promise<string | BackendEntry> {
  const path = ['search', 'engines', cx]
  const state = states.find((one) => one.name === name)
  const config: BackendConfig | undefined = choice.configured[name]
  if (!state || config?.enabled === false) throw notThere([...path, 'backend'], name, state, states, choice)
  if (state.entry && Object.keys(settings).length === 0) return name

  const adapter = await state.adapter.load()
  const place = { path, also: OWN, takesEnvironment: name === adapter.id }
  const instance = configure(adapter, { ...givenConfig(BACKENDS.own, adapter, name, choice), ...settings }, place)
  return BACKENDS.entry(instance, name, config ?? {})
}

function notThere(
  path: readonly string[],
  name: string,
  state: BackendState | undefined,
  states: readonly BackendState[],
  { configured }: BackendChoice,
): HeadgateError {
  const param = pathText(path)
  const known = states.map((one) => one.name).filter((one) => configured[one]?.enabled !== false)
  const reason = state ? 'is disabled by the configuration' : 'is unknown'
  const advice = state ? '' : ` Install it with \`npm install ${BACKENDS.packages}${name}\` if it is an adapter.`
  const message = `${param}: the backend ${JSON.stringify(name)} ${reason}; allowed: ${known.sort().join(', ') || 'none'}.${advice}`
  return new HeadgateError('invalid-request', message, { param })
}
