import { compact, isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { HttpRequest } from './http.ts'
import type { FoundImage, Parameter, SearchItem, SearchQuery } from './search.ts'

/** Helpers of search backends for requests and responses. Values of a wrong type are left out and never throw. */

type RequestHeaders = Readonly<Record<string, string>>

/**
 * GET request with query parameters. Undefined parameters are left out.
 * @example getQuery('/search', { q: 'headgate', count: 10 }).url // '/search?q=headgate&count=10'
 */
export function getQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  headers: RequestHeaders = {},
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

/**
 * POST request with a JSON body. Undefined fields are left out.
 * @example postJson('/search', { query: 'headgate', limit: 10 })
 */
export function postJson(path: string, body: object, headers: RequestHeaders = {}): HttpRequest {
  return { method: 'POST', url: path, headers, body: { json: body } }
}

/**
 * Value at a path in a response. Undefined if the path does not exist.
 * @example field({ web: { results: [] } }, 'web', 'results') // []
 */
export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)
}

/** Search result of a vendor, under the names of {@link SearchItem}. Values are not validated. */
export interface RawItem
  extends Readonly<Partial<Record<'title' | 'snippet' | 'published' | 'thumbnail' | 'mime', unknown>>> {
  readonly link: unknown
  readonly image?: Readonly<Partial<Record<keyof FoundImage, unknown>>>
  readonly fields?: Json
}

/**
 * Search results in a list of objects. Values of a wrong type are left out, as are results without a link.
 * @example readItems(field(body, 'results'), ({ url, title }) => ({ link: url, title }))
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
 * Hosts to include or to exclude, for a vendor that accepts one of the two lists. Excluded sites with a path are in
 * neither list, since excluding their host would exclude too much; core filters their results.
 * @example domains({ include: [{ host: 'example.com', path: '' }], exclude: [] }) // { include: ['example.com'] }
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

/** Maximum length of a snippet, in characters. */
const EXCERPT = 320
/** Maximum characters of a document that are searched for the end of a snippet. */
const LOOKED_AT = 8 * EXCERPT

/**
 * Snippet of a document: whitespace is collapsed, and the end is cut at a word. Undefined unless the value is a string.
 * @example excerpt(page.content)
 */
export function excerpt(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const words = value.slice(0, LOOKED_AT).replace(/\s+/g, ' ').trim()
  if (words.length <= EXCERPT) return words
  const end = words.lastIndexOf(' ', EXCERPT)
  return `${words.slice(0, end > 0 ? end : EXCERPT).toWellFormed()} …`
}

/**
 * Date `2026-01-31` as `01/31/2026`.
 * @example monthFirst('2026-01-31') // '01/31/2026'
 */
export function monthFirst(date: string): string {
  return date.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1')
}

/**
 * Today in UTC, for vendors that require the end of a date range.
 * @example today() // '2026-01-31'
 */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Country or language in a vendor's closed list. */
export interface VendorValue {
  /** Undefined if the list has no match, or if nothing was requested. */
  readonly value: string | undefined
  /** False if only the language matches. */
  readonly exact: boolean
}

/**
 * Finds a country or language in a vendor's list: the exact value, else the first of the same language.
 * @param values lower-case values, separated by spaces.
 * @param names the vendor's names for values that have another name.
 * @example valueIn('de en-gb en-us', 'en') // { value: 'en-gb', exact: false }
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

/**
 * Names of the parameters that a vendor can only approximate, for `changes`.
 * @example inexact({ hl: { value: 'en-gb', exact: false } }) // ['hl']
 */
export function inexact(found: Readonly<Partial<Record<Parameter, VendorValue>>>): Parameter[] {
  return (Object.keys(found) as Parameter[]).filter((name) => found[name]?.exact === false)
}
