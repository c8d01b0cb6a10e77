import type { z } from 'zod'
import type { Json } from '../canonical/json.ts'
import type { UpstreamError } from '../errors.ts'
import { built } from './endpoint.ts'
import type { Exchange, InProcess } from './exchange.ts'
import type { HttpResponse } from './http.ts'
import { checkMembers, membersOf } from './members.ts'
import { CONTRACT, META, type ProviderMeta, type Upstream } from './provider.ts'

/**
 * What a caller may ask for beside words and page: parameters of the Custom Search JSON API, by their own names.
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 */
export const PARAMETERS = [
  'siteSearch',
  'dateRestrict',
  'gl',
  'hl',
  'lr',
  'safe',
  'exactTerms',
  'excludeTerms',
  'orTerms',
  'fileType',
  'searchType',
  'imgColorType',
  'imgDominantColor',
  'imgSize',
  'imgType',
  'c2coff',
  'cr',
  'enableAlternateSearchHandler',
  'filter',
  'googlehost',
  'highRange',
  'hq',
  'linkSite',
  'lowRange',
  'relatedSite',
  'rights',
  'snippetLength',
  'sort',
] as const
export type Parameter = (typeof PARAMETERS)[number]

/** Parameters that can be written into the words: `site:`, `"…"`, `-…`, `(a OR b)`, `filetype:`, `1..5`. */
export const OPERATORS = ['siteSearch', 'exactTerms', 'excludeTerms', 'orTerms', 'fileType', 'lowRange'] as const
export type Operator = (typeof OPERATORS)[number]

/** A host with all its subdomains, or what of it lies beneath a path: `/docs`, or empty. */
export interface Site {
  readonly host: string
  readonly path: string
}

/**
 * One call of a backend. Of the parameters only those that the backend `carries` are there; what it has as an operator
 * is in `q` already. Core checks sites on what comes back, cuts pages, joins calls and drops what is there twice.
 */
export interface SearchQuery {
  readonly q: string
  /** Most results of this call: the backend's own number where it has pages of one. */
  readonly limit: number
  /** Results before the first of this call; 0 where the backend can only be read from its first. */
  readonly offset: number
  /** Pages before this one, each of `limit` results. */
  readonly page: number
  /** Only these sites, or none of those; either may be empty, not both. */
  readonly siteSearch?: { readonly include: readonly Site[]; readonly exclude: readonly Site[] }
  /** Not older than so many days, weeks, months or years; `since` is that day, `2026-01-31`. */
  readonly dateRestrict?: { readonly unit: 'd' | 'w' | 'm' | 'y'; readonly count: number; readonly since: string }
  /** Country of the searcher: two letters, lower case. */
  readonly gl?: string
  /** Language of the searcher: `en`, `pt-BR`. */
  readonly hl?: string
  /** Language of the documents: `en`, `zh-CN`. */
  readonly lr?: string
  /** Whether adult content is kept out. */
  readonly safe?: boolean
  readonly exactTerms?: string
  readonly excludeTerms?: string
  readonly orTerms?: string
  /** Without a dot: `pdf`. */
  readonly fileType?: string
  /** Images are looked for. */
  readonly searchType?: 'image'
  /** Every parameter as the caller wrote it, for a backend that carries `all`; else empty. */
  readonly parameters: Readonly<Partial<Record<Parameter | 'siteSearchFilter', string>>>
}

/** An image that was looked for: sizes in pixels, `byteSize` in bytes. */
export interface FoundImage {
  /** The page that it is on. */
  readonly contextLink?: string
  readonly width?: number
  readonly height?: number
  readonly byteSize?: number
  readonly thumbnailLink?: string
  readonly thumbnailWidth?: number
  readonly thumbnailHeight?: number
}

export interface SearchItem {
  readonly title?: string | undefined
  /** A whole URL. An item without one is left out. */
  readonly link: string
  readonly snippet?: string | undefined
  /** When it was published, as the backend says it. */
  readonly published?: string | undefined
  /** URL of a small picture. */
  readonly thumbnail?: string | undefined
  /** `application/pdf` */
  readonly mime?: string | undefined
  readonly image?: FoundImage | undefined
  /** Fields that the item of the answer gets as they are: a `pagemap`, `labels`. */
  readonly fields?: Json | undefined
}

/** What one call found. */
export interface SearchPage {
  readonly items: readonly SearchItem[]
  /** Results in all, where the backend knows. */
  readonly total?: number | undefined
  /** Whether there are results after these; by default, whether as many came as were asked for. */
  readonly more?: boolean | undefined
  /** The words as the backend would have written them. */
  readonly correction?: string | undefined
  /** What this call cost in nano-dollars, where the backend says so. */
  readonly cost?: number | undefined
  /** Fields that the answer gets as they are: `promotions`. */
  readonly fields?: Json | undefined
}

/**
 * How far and in which steps a backend can be read. `reach` is the most results that it gives of one search; default
 * 100.
 */
export type Paging =
  /** It can begin at any result. */
  | { readonly by: 'offset'; readonly perCall: number; readonly reach?: number }
  /** It has pages of `perCall` results; without that, of a length that it decides. */
  | { readonly by: 'page'; readonly perCall?: number; readonly reach?: number }
  /** It can only be asked for more from the first. */
  | { readonly by: 'none'; readonly reach: number }

/** Where a backend that runs in this process is at home. */
export interface Home {
  /** A folder that is kept; absent = nothing may be kept. */
  readonly dataDir?: string | undefined
  /** For what an operator should know. */
  onWarning(message: string): void
}

/** How far the making of an index is. */
export interface IndexProgress {
  readonly done: number
  /** As far as it is known yet. */
  readonly total: number
}
export interface IndexReport {
  readonly documents: number
  /** What was left out, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

/** A configured backend: a description. Core does all I/O of those that are elsewhere. */
export interface Backend extends Upstream {
  readonly paging: Paging
  /**
   * Parameters that its request has a place for; default none. What is neither here nor an operator is declared as a
   * loss.
   */
  readonly carries?: readonly Parameter[] | 'all'
  /** Parameters that it understands within the words, where it does not carry them; default none. */
  readonly operators?: readonly Operator[] | 'all'
  /** Of the parameters that it carries, those whose values here it can only come close to: declared as changed. */
  readonly changes?: (query: SearchQuery) => readonly Parameter[]
  /** Titles and snippets are HTML: tags are cut out and entities read. Default: they are plain text. */
  readonly markup?: boolean
  /** What is searched: `web` (default), which other backends can stand in for, or `own`, which none can. */
  readonly corpus?: 'web' | 'own'
  /** Nano-dollars of one call; `id` names source and date of the price. Absent = unknown. */
  readonly price?: { readonly id: string; readonly call: number }
  readonly search: Exchange<SearchQuery, SearchPage> | InProcess<SearchQuery, Promise<SearchPage>>
  /**
   * Asked first for every answer, 200 included; undefined = not an error, or core reads it; false = it is none,
   * whatever its status.
   */
  readError?(answer: HttpResponse): UpstreamError | false | undefined
  /** Called once, before the first search, where it runs in this process. */
  start?(home: Home): void
  /** Brings an index of its own up to date, after `start`; resolves when it is on disk. */
  index?(options: { readonly signal: AbortSignal; onProgress(progress: IndexProgress): void }): Promise<IndexReport>
  close?(): Promise<void>
}

/** A configured backend under a name. */
export interface BackendInstance extends Backend {
  /** By default the adapter's id; the `vendor` header names it. */
  readonly name: string
}

/** What an adapter says of itself before it is configured. A backend that works without a key is `enable: 'asked'`. */
export type BackendMeta<S extends z.ZodType> = Omit<ProviderMeta<S>, 'claims' | 'probe'>

/** An adapter: a factory that describes itself. Throws a ZodError when the config is wrong. */
export interface BackendAdapter<S extends z.ZodType = z.ZodType> extends BackendMeta<S> {
  (config: z.input<S>): BackendInstance
  readonly kind: 'search'
  readonly contract: typeof CONTRACT
}

const BACKEND = membersOf<BackendInstance>()(
  'name baseUrl hosts credential paging carries operators changes markup billing isElsewhere corpus price search',
  'readError start index close',
)

/**
 * Makes an adapter out of its description and a function from its config to a backend. When it is called it throws a
 * TypeError for a member whose name is nearly one of the contract's.
 */
export function defineSearchBackend<S extends z.ZodType>(
  meta: BackendMeta<S>,
  build: (config: z.output<S>) => Backend,
): BackendAdapter<S> {
  const create = (config: z.input<S>): BackendInstance => {
    checkMembers(`The description of ${meta.id}`, meta, META)
    return checkMembers(
      `The search backend ${meta.id}`,
      { name: meta.id, ...built(meta.config, config, build) },
      BACKEND,
    )
  }
  return Object.assign(create, {
    enable: 'configured' as const,
    ...meta,
    kind: 'search' as const,
    contract: CONTRACT,
  } as const)
}
