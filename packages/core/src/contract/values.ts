import { compact, isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { HttpRequest } from './http.ts'
import type { FoundImage, Parameter, SearchItem, SearchQuery } from './search.ts'

/**
 * What adapters of search backends make requests with and read answers by. Wrong types never throw: they are left out.
 */

type Headers = Readonly<Record<string, string>>

/** A GET with these parameters, but for those that are undefined. */
export function getQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  headers: Headers = {},
): HttpRequest {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return {
    method: 'GET',
    url: `${path}?${new URLSearchParams(given)}`,
    headers: { accept: 'application/json', ...headers },
  }
}

/** A POST of these fields, but for those that are undefined. */
export function postJson(path: string, body: object, headers: Headers = {}): HttpRequest {
  return { method: 'POST', url: path, headers, body: { json: body } }
}

/** What lies at a path within an answer; undefined where it breaks off. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)
}

/** A result as a vendor has it, by the names of {@link SearchItem}. */
export interface RawItem
  extends Readonly<Partial<Record<'title' | 'snippet' | 'published' | 'thumbnail' | 'mime', unknown>>> {
  readonly link: unknown
  readonly image?: Readonly<Partial<Record<keyof FoundImage, unknown>>>
  readonly fields?: Json
}

/**
 * The results in a list of objects. What is of another type than the contract's is left out; a result without a link is
 * none.
 */
export function readItems(list: unknown, read: (entry: Json) => RawItem): SearchItem[] {
  return objects(list).flatMap((entry) => {
    const { link, title, snippet, published, thumbnail, mime, image, fields } = read(entry)
    if (typeof link !== 'string') return []
    const texts = {
      title: text(title),
      snippet: text(snippet),
      published: text(published),
      thumbnail: text(thumbnail),
      mime: text(mime),
    }
    return [compact<SearchItem>({ link, ...texts, image: image && imageOf(image), fields })]
  })
}

function imageOf(image: NonNullable<RawItem['image']>): FoundImage {
  return compact<FoundImage>({
    contextLink: text(image.contextLink),
    width: number(image.width),
    height: number(image.height),
    byteSize: number(image.byteSize),
    thumbnailLink: text(image.thumbnailLink),
    thumbnailWidth: number(image.thumbnailWidth),
    thumbnailHeight: number(image.thumbnailHeight),
  })
}

/**
 * Sites as lists of hosts, for a vendor that takes one to keep to or one to leave out. An excluded site with a path is
 * in neither: leaving out its host would be too much. Core sorts out what remains.
 */
export function domains(sites: SearchQuery['siteSearch']): {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
} {
  const { include = [], exclude = [] } = sites ?? {}
  if (include.length > 0) return { include: [...new Set(include.map(({ host }) => host))] }
  const whole = exclude.filter(({ path }) => path === '').map(({ host }) => host)
  return whole.length > 0 ? { exclude: whole } : {}
}

const EXCERPT = 320
/** Beyond so many characters a text is not looked at. */
const LOOKED_AT = 8 * EXCERPT

/** A text in the length of a snippet, cut at a word's end. Whatever is no text gives undefined. */
export function excerpt(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const words = value.slice(0, LOOKED_AT).replace(/\s+/g, ' ').trim()
  if (words.length <= EXCERPT) return words
  const end = words.lastIndexOf(' ', EXCERPT)
  return `${words.slice(0, end > 0 ? end : EXCERPT).toWellFormed()} …`
}

/** `2026-01-31` as `01/31/2026`. */
export function monthFirst(date: string): string {
  return date.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1')
}

/** Today in UTC, as `2026-01-31`: where a vendor wants the end of a range as well. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** What a vendor with a closed list of countries or languages has of the one that is wanted. */
export interface VendorValue {
  /** Undefined where it has nothing like it, or nothing is wanted. */
  readonly value: string | undefined
  /** Whether it is the very one, and not only the same language. */
  readonly exact: boolean
}

/**
 * Finds a country or a language among a vendor's, which are lower case with spaces between: the same, else the first of
 * the same language. `names` are those that the vendor calls otherwise.
 */
export function valueIn(
  values: string,
  wanted: string | undefined,
  names: Readonly<Record<string, string>> = {},
): VendorValue {
  if (wanted === undefined) return { value: undefined, exact: true }
  const known = values.split(' ')
  const nameOf = (tag: string): string => (Object.hasOwn(names, tag) ? names[tag] : undefined) ?? tag
  const whole = nameOf(wanted.toLowerCase())
  if (known.includes(whole)) return { value: whole, exact: true }
  const primary = nameOf(whole.split('-', 1)[0] ?? whole)
  return { value: known.find((tag) => tag === primary || tag.startsWith(`${primary}-`)), exact: false }
}

/** The parameters whose values a vendor can only come close to. */
export function inexact(found: Readonly<Partial<Record<Parameter, VendorValue>>>): Parameter[] {
  return (Object.keys(found) as Parameter[]).filter((name) => found[name]?.exact === false)
}
