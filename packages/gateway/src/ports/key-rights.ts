import { POLICIES } from './routing.ts'

/** Definition of a right, which is a list of names. Pages, commands and the API show these strings. */
export interface KeyRight {
  /** Heading of a form or a column. */
  readonly title: string
  /** Name of an entry, singular. */
  readonly one: string
  /** Name of an entry, plural. */
  readonly many: string
  /**
   * Type of the entries. `patterns` are names with `*` as a wildcard; `networks` are IP addresses and networks;
   * `labels` are a name and a value, such as `region=eu`.
   */
  readonly entries: 'patterns' | 'names' | 'networks' | 'labels'
  /** The only valid entries. Default: other modules check them. */
  readonly values?: readonly string[]
  /** Example entries for a command. */
  readonly example: string
  /** Description of the list, one or more sentences. */
  readonly description: string
  /**
   * Permissions of a key without this list. `exclusive`: all, unless the key has another exclusive list; then none.
   * `all`: all.
   */
  readonly absent: 'exclusive' | 'all'
}

/**
 * Rights of a key. Columns of the store, fields of the API, flags of commands, configuration entries, the audit log,
 * the dashboard and tables of the documentation are derived from this list.
 */
export const KEY_RIGHTS = {
  models: {
    title: 'Models',
    one: 'model',
    many: 'models',
    entries: 'patterns',
    example: 'a,b*',
    description: 'The only models that the key can call; `*` is a wildcard.',
    absent: 'exclusive',
  },
  search: {
    title: 'Search engines',
    one: 'search engine',
    many: 'search engines',
    entries: 'patterns',
    example: 'a,b*',
    description:
      'The only search engines (by `cx`) and search backends (by name) that the key can use; `*` is a wildcard.',
    absent: 'exclusive',
  },
  families: {
    title: 'Request types',
    one: 'request type',
    many: 'request types',
    entries: 'names',
    example: 'chat,embeddings',
    description: 'The only kinds of requests that the key can send: `chat`, `embeddings`, `rerank`, `search`, `video`.',
    absent: 'all',
  },
  providers: {
    title: 'Providers',
    one: 'provider',
    many: 'providers',
    entries: 'patterns',
    example: 'a,b*',
    description: 'The only providers that can serve the key, by name; `*` is a wildcard.',
    absent: 'all',
  },
  policies: {
    title: 'Routing policies',
    one: 'policy',
    many: 'policies',
    entries: 'names',
    values: POLICIES,
    example: 'priority,cheapest',
    description: `The only routing policies that the key can select; the first is its default: \`${POLICIES.join('`, `')}\`.`,
    absent: 'all',
  },
  labels: {
    title: 'Endpoint labels',
    one: 'endpoint label',
    many: 'endpoint labels',
    entries: 'labels',
    example: 'region=eu,zdr=true',
    description:
      'Labels that an endpoint must have to serve the key. Several values of one label: any of them. Several labels: all of them.',
    absent: 'all',
  },
  addresses: {
    title: 'Allowed IPs',
    one: 'allowed IP',
    many: 'allowed IPs',
    entries: 'networks',
    example: '192.0.2.7,10.0.0.0/8',
    description: 'The only IP addresses and networks from which the key can be used.',
    absent: 'all',
  },
  scopes: {
    title: 'Scopes',
    one: 'scope',
    many: 'scopes',
    entries: 'names',
    example: 'metrics,admin',
    description:
      'Other permissions: `metrics` reads the metrics, `admin` manages the gateway. A key with `models`, `search` or `scopes` can use only what these three lists name.',
    absent: 'exclusive',
  },
} as const satisfies Readonly<Record<string, KeyRight>>

export type KeyRightName = keyof typeof KEY_RIGHTS

/** Value of a label: letters, digits and `.`, `_`, `:`, `/`, `-`. */
export const LABEL_VALUE: RegExp = /^[A-Za-z0-9._:/-]{1,64}$/

/** Names that are not labels, because the header `headgate-policy` has another meaning for them. */
const NOT_LABELS: readonly string[] = ['max-price', 'min-context']

/**
 * True for a valid name of a label.
 *
 * @example
 * ```ts
 * isLabelName('region') // true
 * ```
 */
export function isLabelName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) && !NOT_LABELS.includes(name)
}

/**
 * True for a name and a value of a label.
 *
 * @example
 * ```ts
 * isLabel('region=eu') // true
 * isLabel('region') // false
 * ```
 */
export function isLabel(entry: string): boolean {
  const [name = '', value = '', ...more] = entry.split('=')
  return isLabelName(name) && LABEL_VALUE.test(value) && more.length === 0
}

/** Lists of a key. An absent list follows {@link KeyRight.absent}. */
export type KeyRights = { readonly [Name in KeyRightName]?: readonly string[] | undefined }

/** Names of the rights, in display order. */
export const KEY_RIGHT_NAMES = Object.keys(KEY_RIGHTS) as readonly KeyRightName[]

/**
 * Creates an object with a value for each right.
 *
 * @example
 * ```ts
 * everyRight((name) => name.length) // { models: 6, search: 6, families: 8, … }
 * ```
 */
export function everyRight<Value>(valueFor: (name: KeyRightName, right: KeyRight) => Value): {
  readonly [Name in KeyRightName]: Value
} {
  const entries = KEY_RIGHT_NAMES.map((name) => [name, valueFor(name, KEY_RIGHTS[name])])
  return Object.fromEntries(entries) as { [Name in KeyRightName]: Value }
}

/**
 * Creates an object with a value for each right, without undefined values.
 *
 * @example
 * ```ts
 * definedRights((name) => (name === 'models' ? ['gpt-*'] : undefined)) // { models: ['gpt-*'] }
 * ```
 */
export function definedRights<Value>(valueFor: (name: KeyRightName, right: KeyRight) => Value | undefined): {
  readonly [Name in KeyRightName]?: Value
} {
  return Object.fromEntries(Object.entries(everyRight(valueFor)).filter(([, value]) => value !== undefined))
}

/**
 * The defined rights of an object that may have other fields.
 *
 * @example
 * ```ts
 * rightsOf({ id: 'alice', models: ['gpt-*'], search: undefined }) // { models: ['gpt-*'] }
 * ```
 */
export function rightsOf(holder: KeyRights): Readonly<Partial<Record<KeyRightName, readonly string[]>>> {
  return definedRights((name) => holder[name])
}

/**
 * True if a key can use only what its lists name, because it has at least one exclusive list.
 *
 * @example
 * ```ts
 * isRestricted({ models: ['gpt-*'] }) // true
 * isRestricted({ families: ['chat'] }) // false: `families` is not exclusive
 * ```
 */
export function isRestricted(rights: KeyRights): boolean {
  return KEY_RIGHT_NAMES.some((name) => KEY_RIGHTS[name].absent === 'exclusive' && rights[name] !== undefined)
}
