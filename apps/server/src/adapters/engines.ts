import { type BackendEntry, type BackendInstance, type Engine, HeadgateError } from '@headgate/gateway'
import { everyOf, pathText } from '../config/problem.ts'
import type { BackendConfig, EngineConfig } from '../config/schema.ts'
import { BACKENDS, type BackendState } from './backends.ts'
import { type Choice, configure, givenConfig } from './choice.ts'

/** Fields of an engine that are not settings of its backend. */
const OWN = ['backend', 'title', 'sites']

export type BackendChoice = Choice<BackendInstance, BackendConfig>

/**
 * The engines of the configuration. One with settings of its own, or of a backend that nothing else uses, has an
 * instance to itself; the others name their backend.
 */
export async function createEngines(
  configured: Readonly<Record<string, EngineConfig>>,
  states: readonly BackendState[],
  choice: BackendChoice,
): Promise<Record<string, Engine>> {
  const engines = await everyOf(
    Object.entries(configured).map(async ([cx, config]): Promise<[string, Engine]> => {
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
  const reason = state ? 'is switched off by the configuration' : 'is not known'
  const advice = state ? '' : ` Install it with \`npm install ${BACKENDS.packages}${name}\` if it is an adapter.`
  const message = `${param}: the backend ${JSON.stringify(name)} ${reason}; allowed: ${known.sort().join(', ') || 'none is there'}.${advice}`
  return new HeadgateError('invalid-request', message, { param })
}
