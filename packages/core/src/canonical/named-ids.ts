import { isObject, type Json } from './json.ts'

/** Fields of a format with ids of files, caches, containers and stores at a provider. */
export interface IdPlaces {
  /** Top-level fields that are searched at any depth. */
  readonly places: readonly string[]
  /** Fields whose value is an id, a list of ids, or an object with an `id`. */
  readonly keys: ReadonlySet<string>
  /** Fields that are not searched: the caller's data, which may have any keys, and output-only fields. */
  readonly skips: ReadonlySet<string>
  /** True for an object that only reports stored objects and is not searched. */
  reports?(object: Json): boolean
  /** Further ids of an object. */
  more?(object: Json, note: NoteId): void
}

/** Receives a field and its value, which is an id if it is a string. */
export type NoteId = (key: string, id: unknown) => void

/** Paths of the first field with each id. */
export type NamedIds = ReadonlyMap<string, string>

/** Fields with URLs. The URL of a vendor's file counts as an id in every format. */
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'image_url', 'file_url', 'fileUri', 'file_uri'])
/** Fields in which a value without a host is a file id. */
const FILE_FIELDS: ReadonlySet<string> = new Set(['fileUri', 'file_uri'])
const FILE_HOST = /(?:^|\.)generativelanguage\.googleapis\.com$/

/**
 * True for the URL of a file at the vendor, which only the vendor's customer can access.
 * @see https://ai.google.dev/api/files
 */
function isVendorFile(address: string, isFileField: boolean): boolean {
  if (/^data:/i.test(address)) return false
  const url = URL.parse(address)
  return url ? FILE_HOST.test(url.hostname) : isFileField
}

const NONE: NamedIds = new Map()

/** Ids in a body. Most bodies have none, so paths are created only after an id was found. */
export function namedIds(body: Json, places: IdPlaces): NamedIds {
  if (!places.places.some((key) => isNaming(body, key, places))) return NONE
  const ids = new Map<string, string>()
  walk(body, places, (id, path) => {
    if (typeof id === 'string' && id !== '' && !ids.has(id)) ids.set(id, path)
  })
  return ids
}

/** True for a member that may contain an id. */
function isNaming(owner: Json, key: string, places: IdPlaces): boolean {
  const value = owner[key]
  if (typeof value === 'string')
    return places.keys.has(key) || (ADDRESSES.has(key) && isVendorFile(value, FILE_FIELDS.has(key)))
  if (typeof value !== 'object' || value === null) return false
  return places.keys.has(key)
    ? isNamingKey(value) || hasNaming(value, places)
    : !places.skips.has(key) && hasNaming(value, places)
}

function isNamingKey(value: object): boolean {
  return Array.isArray(value) ? value.some((id) => typeof id === 'string') : typeof (value as Json)['id'] === 'string'
}

function hasNaming(value: object, places: IdPlaces): boolean {
  if (Array.isArray(value))
    return value.some((item) => typeof item === 'object' && item !== null && hasNaming(item, places))
  const object = value as Json
  if (places.reports?.(object)) return false
  let isNamed = false
  places.more?.(object, (_, id) => {
    isNamed ||= typeof id === 'string'
  })
  if (isNamed) return true
  for (const key in object) if (isNaming(object, key, places)) return true
  return false
}

type Note = (id: unknown, path: string) => void

function walk(body: Json, { places, keys, skips, reports, more }: IdPlaces, note: Note): void {
  const values: object[] = []
  const paths: string[] = []
  const add = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    values.push(value)
    paths.push(path)
  }
  const under = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
  const visit = (object: Json, key: string, path: string): void => {
    const inner = object[key]
    const at = under(path, key)
    if (keys.has(key)) {
      if (Array.isArray(inner)) for (const id of inner) note(id, at)
      else if (isObject(inner)) note(inner['id'], under(at, 'id'))
      else note(inner, at)
    } else if (typeof inner === 'string' && ADDRESSES.has(key) && isVendorFile(inner, FILE_FIELDS.has(key)))
      note(inner, at)
    if (!skips.has(key)) add(inner, at)
  }
  for (const key of places) visit(body, key, '')
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    const path = paths[at] ?? ''
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) add(value[index], `${path}[${index}]`)
      continue
    }
    if (!isObject(value) || reports?.(value)) continue
    more?.(value, (key, id) => note(id, under(path, key)))
    for (const key in value) visit(value, key, path)
  }
}
