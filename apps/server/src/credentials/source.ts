import { type Environment, isGiven, PROVIDERS, type ProviderState, variablesSet } from '@headgate/discovery'
import type { Settings } from '../config/settings.ts'

/** Field of an adapter's configuration that an owner can enter. */
export interface EnterableField {
  readonly name: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** Variables that set it as well. */
  readonly variables: readonly string[]
}

/** Source of a provider's credential. */
export interface CredentialSource {
  /** `free`: neither the file nor the environment has a credential. */
  readonly owner: 'file' | 'environment' | 'free'
  /** Set environment variables of the provider. */
  readonly variables: readonly string[]
  /** Adapter fields of the provider's entry in the file. */
  readonly inFile: Readonly<Record<string, unknown>>
  /** Fields that an owner can enter, since no other source sets them. */
  readonly fields: readonly EnterableField[]
}

/** Address of the provider, which is not secret. */
export const BASE_URL = 'baseUrl'

/** True for fields with secret values, such as `apiKey`, by their names. */
function isSecret(field: string): boolean {
  return /key|secret|token|password|credential|header/i.test(field)
}

/**
 * Source of a provider's credential. If the file or the environment has any secret field, they have the whole
 * credential: a secret of the operator is never combined with an address that a user has entered.
 */
export function sourceOf(
  { name, adapter }: Pick<ProviderState, 'name' | 'adapter'>,
  { config: { providers = {} } }: Pick<Settings, 'config'>,
  environment: Environment,
): CredentialSource {
  const entry: Readonly<Record<string, unknown>> = providers[name] ?? {}
  const { description } = adapter
  const takesEnvironment = name === adapter.id
  const inFile = Object.fromEntries(Object.entries(entry).filter(([field]) => !PROVIDERS.own.includes(field)))
  const fields = Object.keys(description.env)
  const given = takesEnvironment ? fields.filter((field) => isGiven(description, field, environment)) : []
  const isFiles = entry['endpoints'] !== undefined || entry['enabled'] === false || Object.keys(inFile).some(isSecret)
  const owner = isFiles ? 'file' : given.some(isSecret) ? 'environment' : 'free'
  return {
    owner,
    inFile,
    variables: takesEnvironment ? variablesSet(description, environment) : [],
    fields: owner === 'free' ? fields.filter((one) => !given.includes(one) && !(one in inFile)).map(fieldOf) : [],
  }

  function fieldOf(field: string): EnterableField {
    const sources = takesEnvironment ? (description.env[field] ?? []) : []
    return {
      name: field,
      isRequired: description.requires.includes(field),
      isSecret: isSecret(field),
      variables: sources.flatMap((source) => (typeof source === 'string' ? source : [])),
    }
  }
}
