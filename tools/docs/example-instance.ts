import { generateKeyPairSync } from 'node:crypto'
import type { EnvironmentSource, ProviderAdapter, ProviderInstance } from '../../packages/core/src/contract/provider.ts'
import { fieldsOf } from './adapters.ts'

/** Instance of a provider with example values in its config. No request is sent. */
export function exampleInstance(adapter: ProviderAdapter): ProviderInstance {
  const { properties, required } = fieldsOf(adapter)
  const strings = Object.keys(properties).filter((field) => properties[field]?.type === 'string')
  const examples = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, exampleOf(adapter, name)]))
  const config = [examples(required), accepted(adapter, examples(strings)), examples([...required, 'apiKey'])].find(
    (one) => adapter.config.safeParse(one).success,
  )
  if (!config) throw new Error(`${adapter.id} accepts no config of example values, which the tables of providers need.`)
  return adapter(config)
}

/** Fields of a config with accepted values. */
function accepted({ config }: ProviderAdapter, given: Record<string, string>): Record<string, string> {
  const refused = new Set(config.safeParse(given).error?.issues.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !refused.has(name)))
}

function exampleOf({ env }: Pick<ProviderAdapter, 'env'>, field: string): string {
  const sources: readonly EnvironmentSource[] =
    (env as Record<string, readonly EnvironmentSource[] | undefined>)[field] ?? []
  if (sources.some((source) => typeof source === 'object')) return keyFile()
  return /url$/i.test(field) ? 'https://api.example.com' : 'example'
}

/** Key file of a service account that does not exist. */
function keyFile(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return JSON.stringify({
    type: 'service_account',
    client_email: 'nobody@example.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: 'https://oauth2.googleapis.com/token',
  })
}
