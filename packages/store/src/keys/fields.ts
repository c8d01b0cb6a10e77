import {
  ALLOWED_SETTINGS,
  definedRights,
  HeadgateError,
  isLabel,
  isNetwork,
  KEY_RIGHTS,
  KEY_SETTING_NAMES,
  type KeyRight,
  type KeyRightName,
  type KeyRights,
  type KeySettings,
  settingOf,
} from '@headgate/gateway/ports'
import { storable } from '../database/group.ts'
import { isVisible } from '../visible.ts'

/** Maximum entries of a list, and maximum characters of an entry. */
const ENTRIES = 1_000
const LONGEST = 512
/** Maximum length of key names, in characters. */
const NAME = 200
const ENVIRONMENT = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Changes of lists; null removes a restriction. */
export type RightsChange = { readonly [Name in keyof KeyRights]?: KeyRights[Name] | null | undefined }

/** Validated name. @throws HeadgateError `invalid-request` that names the field */
export function nameText(name: string): string | null {
  if (typeof name !== 'string' || name.length > NAME)
    throw wrong('name', `must be a string of at most ${NAME} characters`)
  if (!isVisible(name))
    throw wrong('name', 'must not contain invisible characters, or characters that change the direction of the text')
  return name === '' ? null : storable(name)
}

/** Validated environment. @throws HeadgateError `invalid-request` for an invalid name */
export function environmentText(environment: string): string {
  if (ENVIRONMENT.test(environment)) return environment
  throw wrong('environment', 'must be a name of at most 32 lower-case letters, digits and dashes, such as `staging`')
}

/** Validated time in Unix milliseconds. @throws HeadgateError `invalid-request` for an invalid value */
export function instant(param: string, at: number): number {
  if (Number.isSafeInteger(at) && at > 0) return at
  throw wrong(param, 'must be a Unix time in milliseconds')
}

/**
 * Rights of a key as stored; undefined ones are left out.
 * @throws HeadgateError `invalid-request` that names the field
 */
export function rightColumns(rights: RightsChange): RightColumns {
  const { class: serviceClass, weight, tracing } = rights
  return {
    ...definedRights((name) => {
      const entries = rights[name]
      return entries ? listText(name, entries) : entries
    }),
    ...(serviceClass !== undefined && {
      class: serviceClass === null ? null : checkedSetting({ class: serviceClass }).class,
    }),
    ...(weight !== undefined && { weight: weight === null ? null : BigInt(checkedSetting({ weight }).weight) }),
    ...(tracing !== undefined && { tracing: tracing === null ? null : checkedSetting({ tracing }).tracing }),
  }
}

/** Columns of the rights of a key; absent = unchanged. */
type RightColumns = Partial<Record<KeyRightName | 'class' | 'tracing', string | null>> & {
  readonly weight?: bigint | null
}

/** @throws HeadgateError `invalid-request` that names the field */
function checkedSetting<Setting extends KeySettings>(setting: Setting): Setting {
  for (const name of KEY_SETTING_NAMES)
    if (setting[name] !== undefined && !settingOf(name, String(setting[name])))
      throw wrong(name, `must be ${ALLOWED_SETTINGS[name]}`)
  return setting
}

function listText(name: KeyRightName, entries: readonly string[]): string {
  const isSound =
    Array.isArray(entries) && entries.every((one) => typeof one === 'string' && one !== '' && one.length <= LONGEST)
  if (!isSound || entries.length > ENTRIES)
    throw wrong(name, `must be a list of at most ${ENTRIES} strings of at most ${LONGEST} characters`)
  const right: KeyRight = KEY_RIGHTS[name]
  // An empty list of these rights would reject everything, which is a mistake.
  if (entries.length === 0 && right.absent === 'all') throw wrong(name, 'must have at least one entry')
  const odd = entries.find((one) => !isValidEntry(right, one))
  if (odd !== undefined) throw wrong(name, `must contain ${allowedText(right)}; ${JSON.stringify(odd)} is not valid`)
  return storable(JSON.stringify(entries))
}

function isValidEntry({ entries, values }: KeyRight, entry: string): boolean {
  if (entries === 'networks') return isNetwork(entry)
  if (entries === 'labels') return isLabel(entry)
  return values?.includes(entry) ?? true
}

function allowedText({ entries, values = [] }: KeyRight): string {
  if (entries === 'networks') return 'IP addresses and networks, such as 192.0.2.7, 192.0.2.0/24 and 2001:db8::/32'
  return entries === 'labels' ? 'labels, such as region=eu and zdr=true' : values.join(', ')
}

/** Validates a service key. @throws HeadgateError `invalid-request` if it acts for a user or manages the gateway */
export function checkService({
  createdBy,
  scopes,
}: {
  readonly createdBy?: string | undefined
  readonly scopes?: readonly string[] | null | undefined
}): void {
  if (createdBy !== undefined) throw wrong('service', 'keys belong to a project and cannot have a creator')
  if (scopes?.includes('admin'))
    throw wrong('scopes', 'of a service key cannot include `admin`, which only a key of a user can have')
}

export function wrong(param: string, what: string): HeadgateError {
  return new HeadgateError('invalid-request', `The key is not valid: \`${param}\` ${what}.`, { param })
}
