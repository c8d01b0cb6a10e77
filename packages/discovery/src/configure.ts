import { HeadgateError } from '@headgate/gateway/ports'
import type { AdapterFactory, LoadedAdapter } from './adapter.ts'
import { variablesOf, variableToWrite } from './environment.ts'
import { type ConfigProblem, configError, type ProblemContext, pathText, problemsOf } from './problems.ts'

/** Location of a configuration, for error messages. */
export interface ConfigLocation extends Pick<ProblemContext, 'pathOf'> {
  readonly path: readonly PropertyKey[]
  /** Additional fields that are allowed there, or a function that returns them for an unknown field. */
  readonly also: NonNullable<ProblemContext['also']>
  /** True if the adapter's own variables apply. */
  readonly takesEnvironment: boolean
}

/** Creates an instance of an adapter. @throws HeadgateError that names the field. */
export function configure<I>(
  adapter: LoadedAdapter<AdapterFactory<I>>,
  config: Record<string, unknown>,
  place: ConfigLocation,
): I {
  const { factory } = adapter
  const result = factory.config.safeParse(config)
  if (result.success) return createInstance(adapter, config, place.path)
  const { path: at, pathOf, also } = place
  const context = { schema: factory.config, value: config, at, also, secret: () => true, ...(pathOf && { pathOf }) }
  const problems = problemsOf(result.error, context)
  throw configError(
    'The configuration',
    problems.map((problem) => withAdvice(problem, adapter, place)),
  )
}

/** Creates an instance from a valid configuration. @throws HeadgateError if the adapter does not accept it. */
export function createInstance<I>(
  { factory, id }: LoadedAdapter<AdapterFactory<I>>,
  config: Record<string, unknown>,
  path: readonly PropertyKey[],
): I {
  try {
    return factory(config)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const param = pathText(path)
    throw new HeadgateError(
      'invalid-request',
      `${param}: the adapter "${id}" does not accept its configuration: ${reason}`,
      { param },
    )
  }
}

function withAdvice<I>(
  { path, message }: ConfigProblem,
  { factory }: LoadedAdapter<AdapterFactory<I>>,
  { takesEnvironment }: ConfigLocation,
): ConfigProblem {
  const field = path.split('.').at(-1) ?? ''
  const variables = variablesOf(factory, field)
  if (!message.startsWith('is missing') || !variables) return { path, message }
  const variable = variableToWrite(factory, field)
  const example = variable === undefined ? '' : `, such as "\${${variable}}"`
  const advice = takesEnvironment ? `set ${variables}, or write it here` : `write it here${example}`
  return { path, message: `${message}; ${advice}` }
}
