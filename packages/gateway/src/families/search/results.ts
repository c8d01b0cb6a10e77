import type { SearchItem } from '@headgate/core/contract'
import { isWithin, type Sites } from './site.ts'

/** A result that may be shown. */
export interface Result extends SearchItem {
  readonly url: URL
}

/** Results in their order, each once, and only those that may be shown. */
export interface Results {
  readonly list: readonly Result[]
  /** How many were left out. */
  readonly dropped: number
  add(items: readonly SearchItem[]): void
}

/** What two links have in common that lead to the same page. */
function identity(url: URL): string {
  return `${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`
}

/** What some readers of URLs understand otherwise than a browser does, or not at all. */
const AMBIGUOUS = /[\s\p{Cc}\p{Cs}\\]|^(?!https?:\/\/)/iu

/** A link as the backend wrote it, where everybody reads it alike. */
function linkText(link: string, url: URL): string {
  return AMBIGUOUS.test(link) ? url.href : link
}

function urlOf(link: unknown): URL | undefined {
  const url = typeof link === 'string' ? URL.parse(link.trim()) : null
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined
}

/** `again` = the same items may be added once more without counting as left out. */
export function createResults(sites: Sites, again: boolean): Results {
  const list: Result[] = []
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
