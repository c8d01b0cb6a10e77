/** An adapter that is to be: a provider, or a search backend. */
export interface NewAdapter {
  readonly id: string
  readonly title: string
  readonly baseUrl: string
  /** The name of its package. */
  readonly name: string
  /** The page of the vendor that its requests are built from. */
  readonly docs?: string | undefined
  /** A search backend whose vendor is a provider as well: the base URL then has a variable of its own. */
  readonly isBoth?: boolean
}

/** Why this can not be the id of an adapter; undefined = it can. */
export function againstId(id: string): string | undefined {
  return /^[a-z][a-z0-9-]*$/.test(id) && id !== 'auto'
    ? undefined
    : `'${id}' can not be an id: lower case letters, digits and dashes, a letter first, and not 'auto'.`
}

/** Why this can not be a base URL or the address of a page; undefined = it can. */
export function againstUrl(url: string): string | undefined {
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return isUrl ? undefined : `'${url}' is no URL: https://api.acme.example/v1 is one.`
}

/** What the package of an adapter exports: its id in camel case. */
export function factoryName(id: string): string {
  return id.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** A name for people, of an id. */
export function titleOf(id: string): string {
  return id.replace(/(?:^|-)([a-z0-9])/g, (match, letter: string) =>
    match.replace('-', ' ').replace(letter, letter.toUpperCase()),
  )
}

/** A base URL as paths are appended to it. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
