import type { z } from 'zod'
import type { Json } from '../canonical/json.ts'
import type { UpstreamError } from '../errors.ts'
import { built } from './endpoint.ts'
import type { Exchange, InProcess } from './exchange.ts'
import type { HttpResponse } from './http.ts'
import { checkMembers, membersOf } from './members.ts'
import { CONTRACT, META, type ProviderMeta, type Upstream } from './provider.ts'

/**
 * Optional search parameters besides query and page, with the names of the Custom Search JSON API.
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
/** Optional search parameter. */
export type Parameter = (typeof PARAMETERS)[number]

/** Parameters that can be written into the query: `site:`, `"…"`, `-…`, `(a OR b)`, `filetype:`, `1..5`. */
export const OPERATORS = ['siteSearch', 'exactTerms', 'excludeTerms', 'orTerms', 'fileType', 'lowRange'] as const
/** Parameter that can be written into the query. */
export type Operator = (typeof OPERATORS)[number]

/** Host with all its subdomains, optionally limited to a path: `/docs`, or empty. */
export interface Site {
  readonly host: string
  readonly path: string
}

/**
 * Call to a search backend. It has only the parameters that the backend `supports`; operators are already part of `q`.
 * Core filters results by site, cuts pages, merges calls and removes duplicates.
 */
export interface SearchQuery {
  readonly q: string
  /** Maximum results of this call. Equals the page size of backends with fixed pages. */
  readonly limit: number
  /** Results to skip; 0 if the backend cannot skip. */
  readonly offset: number
  /** Pages to skip, each of `limit` results. */
  readonly page: number
  /** Sites to include, or to exclude. One of the lists may be empty, not both. */
  readonly siteSearch?: { readonly include: readonly Site[]; readonly exclude: readonly Site[] }
  /** Maximum age in days, weeks, months or years. `since` is the first day, `2026-01-31`. */
  readonly dateRestrict?: { readonly unit: 'd' | 'w' | 'm' | 'y'; readonly count: number; readonly since: string }
  /** Country of the searcher: two lower-case letters. */
  readonly gl?: string
  /** Language of the searcher: `en`, `pt-BR`. */
  readonly hl?: string
  /** Language of the documents: `en`, `zh-CN`. */
  readonly lr?: string
  /** True to exclude adult content. */
  readonly safe?: boolean
  readonly exactTerms?: string
  readonly excludeTerms?: string
  readonly orTerms?: string
  /** File name extension without a dot: `pdf`. */
  readonly fileType?: string
  /** Restricts the search to images. */
  readonly searchType?: 'image'
  /** All parameters as the caller wrote them, for a backend that supports `all`. Otherwise empty. */
  readonly parameters: Readonly<Partial<Record<Parameter | 'siteSearchFilter', string>>>
}

/** Image result. Sizes are in pixels, `byteSize` in bytes. */
export interface FoundImage {
  /** Page that contains the image. */
  readonly contextLink?: string
  readonly width?: number
  readonly height?: number
  readonly byteSize?: number
  readonly thumbnailLink?: string
  readonly thumbnailWidth?: number
  readonly thumbnailHeight?: number
}

/** Search result. */
export interface SearchItem {
  readonly title?: string | undefined
  /** Absolute URL. Items without one are left out. */
  readonly link: string
  readonly snippet?: string | undefined
  /** Publication date in the backend's notation. */
  readonly published?: string | undefined
  /** URL of a small picture. */
  readonly thumbnail?: string | undefined
  /** Media type, such as `application/pdf`. */
  readonly mime?: string | undefined
  readonly image?: FoundImage | undefined
  /** Fields to copy to the item of the response, such as `pagemap` or `labels`. */
  readonly fields?: Json | undefined
}

/** Results of one call. */
export interface SearchPage {
  readonly items: readonly SearchItem[]
  /** Total number of results. Absent if the backend does not report it. */
  readonly total?: number | undefined
  /** True if more results follow. Default: true if the page is full. */
  readonly more?: boolean | undefined
  /** Corrected spelling of the query. */
  readonly correction?: string | undefined
  /** Cost of this call in nano-dollars. Absent if the backend does not report it. */
  readonly cost?: number | undefined
  /** Fields to copy to the response, such as `promotions`. */
  readonly fields?: Json | undefined
}

/** Paging of a backend. `maxResults` is the maximum number of results of one search; default 100. */
export type Paging =
  /** Starts at any result. */
  | { readonly by: 'offset'; readonly perCall: number; readonly maxResults?: number }
  /** Pages of `perCall` results. Absent: the backend decides. */
  | { readonly by: 'page'; readonly perCall?: number; readonly maxResults?: number }
  /** Always starts at the first result. */
  | { readonly by: 'none'; readonly maxResults: number }

/** Environment of a backend that runs in this process. */
export interface IndexHost {
  /** Folder for data that persists. Absent: nothing may be stored. */
  readonly dataDir?: string | undefined
  /** Receives warnings for the operator. */
  onWarning(message: string): void
}

/** Progress of indexing, in documents. */
export interface IndexProgress {
  readonly done: number
  /** Documents known so far. */
  readonly total: number
}
/** Result of indexing. */
export interface IndexReport {
  readonly documents: number
  /** Files that were left out, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

/** Description of a configured search backend. Core does all network I/O. */
export interface Backend extends Upstream {
  readonly paging: Paging
  /**
   * Parameters that its requests support; default none. Parameters that are neither here nor in `operators` are
   * declared as lost.
   */
  readonly supports?: readonly Parameter[] | 'all'
  /** Parameters that it supports only as operators in the query; default none. */
  readonly operators?: readonly Operator[] | 'all'
  /** Parameters whose values in this query the backend can only approximate. They are declared as changed. */
  readonly changes?: (query: SearchQuery) => readonly Parameter[]
  /** True if titles and snippets are HTML. Tags are removed and entities decoded. Default: plain text. */
  readonly markup?: boolean
  /**
   * Searched documents: `web` (default), which other backends can replace, or `own`, which no other backend can
   * replace.
   */
  readonly corpus?: 'web' | 'own'
  /** Price of a million calls in nano-dollars; `id` names source and date of the price. Absent: unknown. */
  readonly price?: { readonly id: string; readonly calls: number }
  readonly search: Exchange<SearchQuery, SearchPage> | InProcess<SearchQuery, Promise<SearchPage>>
  /**
   * Reads an error, from every response, including status 200. Undefined: no error, or an error that core reads. False:
   * not an error, regardless of the status.
   */
  readError?(response: HttpResponse): UpstreamError | false | undefined
  /** Called once before the first search of an in-process backend. */
  start?(home: IndexHost): void
  /** Updates the backend's index, after `start`. Resolves when the index is on disk. */
  index?(options: { readonly signal: AbortSignal; onProgress(progress: IndexProgress): void }): Promise<IndexReport>
  close?(): Promise<void>
}

/** Configured search backend with a name. */
export interface BackendInstance extends Backend {
  /** Value of the `vendor` header. Default: the adapter's id. */
  readonly name: string
}

/** Description of an adapter before it is configured. Backends that need no key use `enable: 'asked'`. */
export type BackendMeta<S extends z.ZodType> = Omit<ProviderMeta<S>, 'claims' | 'probe' | 'genAiName'>

/**
 * Adapter: a factory that describes itself.
 * @throws ZodError if the configuration is invalid.
 */
export interface BackendAdapter<S extends z.ZodType = z.ZodType> extends BackendMeta<S> {
  (config: z.input<S>): BackendInstance
  readonly kind: 'search'
  readonly contract: typeof CONTRACT
}

const BACKEND = membersOf<BackendInstance>()(
  'name baseUrl hosts credential paging supports operators changes markup billing mayLoop corpus price search',
  'answer readError start index close',
)

/**
 * Creates an adapter from its description and a function that builds a search backend from a configuration. The adapter
 * throws a TypeError for a member whose name resembles a name of the contract.
 * @example
 * export const acme = defineSearchBackend(
 *   {
 *     id: 'acme',
 *     title: 'Acme',
 *     config: z.strictObject(endpoint('https://api.acme.example')),
 *     env: endpointEnv('acme'),
 *   },
 *   ({ apiKey, baseUrl }) => ({
 *     baseUrl,
 *     credential: bearer(apiKey),
 *     paging: { by: 'offset', perCall: 20 },
 *     search: {
 *       request: ({ q, limit, offset }) => getQuery('/search', { q, limit, offset }),
 *       response: ({ body }) => ({
 *         items: readItems(field(body, 'results'), ({ url, title }) => ({ link: url, title })),
 *       }),
 *     },
 *   }),
 * )
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
