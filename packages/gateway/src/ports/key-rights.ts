import { POLICIES } from './routing.ts'
import {
  DEFAULT_CLASS,
  isServiceClass,
  isWeight,
  MAX_WEIGHT,
  SERVICE_CLASSES,
  type ServiceClass,
} from './service-class.ts'
import { type CallerTracing, isTracing, TRACINGS } from './tracing.ts'

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
    description:
      'The only kinds of requests that the key can send: `chat`, `embeddings`, `rerank`, `images`, `speech`, `transcription`, `moderations`, `search`, `video`.',
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

/** Definition of a right that is a single value. Pages, commands and the API show these strings. */
export interface KeySetting {
  /** Heading of a form or a column. */
  readonly title: string
  /** Example value for a command. */
  readonly example: string
  /** Description, one or more sentences. */
  readonly description: string
  /** Value of a key without it. */
  readonly absent: string | number
}

/**
 * Rights of a key that are single values, which apply when requests must wait or are refused because there are too many.
 * Everything derived from {@link KEY_RIGHTS} is derived from this list too.
 */
export const KEY_SETTINGS = {
  class: {
    title: 'Class',
    example: 'batch',
    description: `The most urgent class that requests of the key can have: \`${SERVICE_CLASSES.join('`, `')}\`.`,
    absent: DEFAULT_CLASS,
  },
  weight: {
    title: 'Weight',
    example: '5',
    description: `Weight of the key among the keys of its class while requests wait: a whole number from 1 to ${MAX_WEIGHT}.`,
    absent: 1,
  },
  tracing: {
    title: 'Trace context',
    example: 'link',
    description: `Use of the trace that a caller names in the header \`traceparent\`: \`${TRACINGS.join('`, `')}\`. \`parent\`: requests are part of it. \`trusted\`: the caller also decides whether they are exported. \`link\`: requests have separate traces that link to it, for callers that record model calls themselves. \`ignore\`: it is not used.`,
    absent: 'parent',
  },
} as const satisfies Readonly<Record<string, KeySetting>>

/** Rights of a key that are single values. */
export interface KeySettings {
  readonly class?: ServiceClass | undefined
  readonly weight?: number | undefined
  readonly tracing?: CallerTracing | undefined
}

export type KeySettingName = keyof typeof KEY_SETTINGS

/** Names of the rights that are single values, in display order. */
export const KEY_SETTING_NAMES = Object.keys(KEY_SETTINGS) as readonly KeySettingName[]

/** Allowed values of each, as the end of a message. */
export const ALLOWED_SETTINGS: Readonly<Record<KeySettingName, string>> = {
  class: `one of ${SERVICE_CLASSES.join(', ')}`,
  weight: `a whole number from 1 to ${MAX_WEIGHT}`,
  tracing: `one of ${TRACINGS.join(', ')}`,
}

/**
 * Parses the text of a right that is a single value; undefined = not valid.
 *
 * @example
 * ```ts
 * settingOf('weight', '5') // { weight: 5 }
 * settingOf('class', 'urgent') // undefined
 * ```
 */
export function settingOf(name: KeySettingName, text: string): KeySettings | undefined {
  if (name === 'class') return isServiceClass(text) ? { class: text } : undefined
  if (name === 'tracing') return isTracing(text) ? { tracing: text } : undefined
  const weight = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return isWeight(weight) ? { weight } : undefined
}

/** Lists of a key. An absent list follows {@link KeyRight.absent}. */
export type KeyLists = { readonly [Name in KeyRightName]?: readonly string[] | undefined }

/** Lists and settings of a key. */
export type KeyRights = KeyLists & KeySettings

/** Rights without undefined values. */
export type DefinedRights = { readonly [Name in keyof KeyRights]?: NonNullable<KeyRights[Name]> }

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
export function rightsOf(holder: KeyRights): DefinedRights {
  const { class: serviceClass, weight, tracing } = holder
  return {
    ...definedRights((name) => holder[name]),
    ...(serviceClass !== undefined && { class: serviceClass }),
    ...(weight !== undefined && { weight }),
    ...(tracing !== undefined && { tracing }),
  }
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
