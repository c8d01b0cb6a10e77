/** One right of a key: a list of names. Pages, commands and the API show it in these words. */
export interface KeyRight {
  /** Heading of a form or a column. */
  readonly title: string
  /** An entry, in the singular and in the plural. */
  readonly one: string
  readonly many: string
  /** Entries of the list: `patterns` are names in which `*` stands for any text, `networks` IP addresses and networks. */
  readonly entries: 'patterns' | 'names' | 'networks'
  /** Entries, as examples of a command. */
  readonly example: string
  /** A sentence about the list. */
  readonly description: string
  /** What a key without this list may use. `exclusive`: all, unless it has another exclusive list; then none. */
  readonly absent: 'exclusive' | 'all'
}

/**
 * The rights of a key. Columns of the store, fields of the API, flags of commands, entries of the configuration, the
 * audit log, the dashboard and tables of the documentation follow from this list.
 */
export const KEY_RIGHTS = {
  models: {
    title: 'Models',
    one: 'model',
    many: 'models',
    entries: 'patterns',
    example: 'a,b*',
    description: 'The only models that it may call; `*` stands for any text.',
    absent: 'exclusive',
  },
  search: {
    title: 'Search engines',
    one: 'search engine',
    many: 'search engines',
    entries: 'patterns',
    example: 'a,b*',
    description:
      'The only search engines (by `cx`) and search backends (by name) that it may use; `*` stands for any text.',
    absent: 'exclusive',
  },
  families: {
    title: 'Families',
    one: 'family',
    many: 'families',
    entries: 'names',
    example: 'chat,embeddings',
    description: 'The only kinds of requests that it may make: `chat`, `embeddings`, `rerank`, `search`, `video`.',
    absent: 'all',
  },
  providers: {
    title: 'Providers',
    one: 'provider',
    many: 'providers',
    entries: 'patterns',
    example: 'a,b*',
    description: 'The only providers that may serve it, by name; `*` stands for any text.',
    absent: 'all',
  },
  addresses: {
    title: 'Addresses',
    one: 'address',
    many: 'addresses',
    entries: 'networks',
    example: '192.0.2.7,10.0.0.0/8',
    description: 'The only IP addresses and networks that it may be used from.',
    absent: 'all',
  },
  scopes: {
    title: 'Scopes',
    one: 'scope',
    many: 'scopes',
    entries: 'names',
    example: 'metrics,admin',
    description:
      'Other permissions: `metrics` reads the metrics, `admin` manages. A key with `models`, `search` or `scopes` may use only what these three lists name.',
    absent: 'exclusive',
  },
} as const satisfies Readonly<Record<string, KeyRight>>

export type KeyRightName = keyof typeof KEY_RIGHTS

/** The lists of a key. An absent list follows {@link KeyRight.absent}. */
export type KeyRights = { readonly [Name in KeyRightName]?: readonly string[] | undefined }

/** Names of the rights, in the order in which they are shown. */
export const KEY_RIGHT_NAMES = Object.keys(KEY_RIGHTS) as readonly KeyRightName[]

/** An object with a value for each right. */
export function everyRight<Value>(valueFor: (name: KeyRightName, right: KeyRight) => Value): {
  readonly [Name in KeyRightName]: Value
} {
  const entries = KEY_RIGHT_NAMES.map((name) => [name, valueFor(name, KEY_RIGHTS[name])])
  return Object.fromEntries(entries) as { [Name in KeyRightName]: Value }
}

/** The same without the rights whose value is undefined. */
export function definedRights<Value>(valueFor: (name: KeyRightName, right: KeyRight) => Value | undefined): {
  readonly [Name in KeyRightName]?: Value
} {
  return Object.fromEntries(Object.entries(everyRight(valueFor)).filter(([, value]) => value !== undefined))
}

/** The rights of an object that has more than them, without those that are undefined. */
export function rightsOf(holder: KeyRights): Readonly<Partial<Record<KeyRightName, readonly string[]>>> {
  return definedRights((name) => holder[name])
}

/** Whether a key may use only what its lists name, because it has at least one exclusive list. */
export function isRestricted(rights: KeyRights): boolean {
  return KEY_RIGHT_NAMES.some((name) => KEY_RIGHTS[name].absent === 'exclusive' && rights[name] !== undefined)
}
