import type { ProviderCredential } from '../../../api/credentials.ts'

export type ShownField = ProviderCredential['fields'][number]

/** Typed values by field. */
export type CredentialDraft = Readonly<Record<string, string>>

const TITLES: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  baseUrl: 'Base URL',
  accessKeyId: 'Access key ID',
}

/** Title of a field: `API key`, `Client secret`. */
export function fieldTitle(name: string): string {
  const words = name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, next: string) => `${before} ${next.toLowerCase()}`,
  )
  return TITLES[name] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Fields in order: required ones, other secrets, then addresses and the like. */
export function byImportance(fields: readonly ShownField[]): readonly ShownField[] {
  const rank = ({ isRequired, isSecret }: ShownField): number => (isRequired ? 0 : isSecret ? 1 : 2)
  return fields.toSorted((one, other) => rank(one) - rank(other))
}

/** Problems of a draft by field. */
export function problemsOf(fields: readonly ShownField[], draft: CredentialDraft): Readonly<Record<string, string>> {
  const typed = (name: string): string => draft[name]?.trim() ?? ''
  const missing = fields.filter(({ name, isRequired }) => isRequired && typed(name) === '')
  if (missing.length > 0) return Object.fromEntries(missing.map(({ name }) => [name, 'Enter a value.']))
  const secrets = fields.filter(({ isSecret }) => isSecret)
  const [first] = secrets
  if (!first || secrets.some(({ name }) => typed(name) !== '')) return {}
  return { [first.name]: 'Enter a secret.' }
}

/** Typed values, which are sent. */
export function valuesOf(fields: readonly ShownField[], draft: CredentialDraft): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = draft[name]?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** Sentence about the source of a credential. */
export function sourceText({
  source,
  variables,
  isUsed,
}: Pick<ProviderCredential, 'source' | 'variables' | 'isUsed'>): string {
  if (source === 'file') return 'From the configuration file. Change it there.'
  if (source === 'environment') return `From the environment: ${variables.join(', ')}. Change it there.`
  if (source === 'none') return 'None.'
  return isUsed ? 'Entered on this page, stored encrypted.' : 'Stored, but not usable. Enter it again.'
}
