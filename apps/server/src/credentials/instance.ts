import { type Environment, environmentConfig, type ProviderState } from '@headgate/discovery'
import { problemsOf } from '@headgate/discovery/config'
import { HeadgateError, type ProviderInstance } from '@headgate/gateway'
import type { CredentialValues } from '@headgate/store'
import type { CredentialSource } from './source.ts'

/**
 * Provider with an entered credential, configured as the gateway would. No other source sets
 * the entered fields.
 * @throws HeadgateError `invalid-request` with the field. It never contains a value.
 */
export async function createWith(
  { name, adapter }: Pick<ProviderState, 'name' | 'adapter'>,
  { inFile }: Pick<CredentialSource, 'inFile'>,
  values: CredentialValues,
  environment: Environment,
): Promise<ProviderInstance> {
  const { factory } = await adapter.load()
  const surrounding = name === adapter.id ? environmentConfig(factory, environment) : {}
  const config: Record<string, unknown> = Object.assign({}, surrounding, inFile, values)
  const result = factory.config.safeParse(config)
  if (!result.success) {
    const [problem] = problemsOf(result.error, { schema: factory.config, value: config, secret: () => true })
    const field = problem?.path ? `values.${problem.path}` : 'values'
    throw new HeadgateError('invalid-request', `The credential is not valid: ${problem?.message}.`, { param: field })
  }
  try {
    return factory(config)
  } catch (cause) {
    // Its message may quote a value.
    const message = 'The adapter does not accept these values. Check each of them.'
    throw new HeadgateError('invalid-request', message, { cause, param: 'values' })
  }
}
