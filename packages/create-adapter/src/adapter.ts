/** Adapter to create: a provider or a search backend. */
export interface NewAdapter {
  readonly id: string
  readonly title: string
  readonly baseUrl: string
  /** Name of its package. */
  readonly name: string
  /** Page of the vendor's API documentation. */
  readonly docs?: string | undefined
  /** True for a search backend whose vendor is also a provider. Its base URL then has a separate variable. */
  readonly isBoth?: boolean
}

/** Reason why a string is not a valid id. Undefined if it is valid. */
export function idProblem(id: string): string | undefined {
  return /^[a-z][a-z0-9-]*$/.test(id) && id !== 'auto'
    ? undefined
    : `'${id}' is not a valid id. Use lower-case letters, digits and dashes, beginning with a letter; 'auto' is reserved.`
}

/** Reason why a string is not a valid base URL or page. Undefined if it is valid. */
export function urlProblem(url: string): string | undefined {
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return isUrl ? undefined : `'${url}' is not a valid URL. Use the form https://api.acme.example/v1.`
}

/** Exported name of an adapter: its id in camel case. */
export function factoryName(id: string): string {
  return id.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Display name derived from an id. */
export function titleOf(id: string): string {
  return id.replace(/(?:^|-)([a-z0-9])/g, (match, letter: string) =>
    match.replace('-', ' ').replace(letter, letter.toUpperCase()),
  )
}

/** Base URL without trailing slashes. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
