import type { SearchItem } from '@headgate/core/contract'
import { isWithin, type Sites } from './site.ts'

/** A valid search result with its parsed URL. */
export interface SearchResult extends SearchItem {
  readonly url: URL
}

/** Valid results in order, without duplicates. */
export interface SearchResults {
  readonly list: readonly SearchResult[]
  /** Number of items that were dropped. */
  readonly dropped: number
  add(items: readonly SearchItem[]): void
}

/** Key that links to the same page have in common. */
function identity(url: URL): string {
  return `${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`
}

/** Characters and schemes that URL parsers read in different ways. */
const AMBIGUOUS = /[\s\p{Cc}\p{Cs}\\]|^(?!https?:\/\/)/iu

/** The backend's link unchanged, or normalized if it is ambiguous. */
function linkText(link: string, url: URL): string {
  return AMBIGUOUS.test(link) ? url.href : link
}

function urlOf(link: unknown): URL | undefined {
  const url = typeof link === 'string' ? URL.parse(link.trim()) : null
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined
}

/** Creates an empty list. `again` = the same items can be added again and do not count as dropped. */
export function createResults(sites: Sites, again: boolean): SearchResults {
  const list: SearchResult[] = []
  const seen = new Set<string>()
  let dropped = 0
  const accept = (item: SearchItem): void => {
    const url = urlOf(item.link)
    const isNew = url !== undefined && !seen.has(identity(url))
    if (isNew) seen.add(identity(url))
    if (isNew && isWithin(url, sites)) list.push({ ...item, link: linkText(item.link.trim(), url), url })
    else if (isNew || !again) dropped++
  }
  return {
    list,
    get dropped() {
      return dropped
    },
    add: (items) => items.forEach(accept),
  }
}
