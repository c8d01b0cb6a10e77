import { compact, type Json, object, text } from '@headgate/core/canonical'
import type { Parameter } from '@headgate/core/contract'
import type { SearchResultPage } from './list.ts'
import { MAX_RESULTS, type SearchInput } from './parameters.ts'
import type { SearchResult } from './results.ts'
import { boldHtml, plainText, wordPattern } from './text.ts'

/** Facts of a search response besides its results. */
export interface SearchResponseFacts {
  /** Value of `context.title`. */
  readonly title: string
  /** True if titles and snippets are HTML. */
  readonly markup: boolean
  readonly milliseconds: number
}

/** Names of parameters in the response's `queries`, if they differ from the request's; undefined = not repeated. */
const REPEATED: Readonly<Partial<Record<Parameter | 'siteSearchFilter', string | undefined>>> = {
  c2coff: 'disableCnTwTranslation',
  googlehost: 'googleHost',
  lr: 'language',
  enableAlternateSearchHandler: undefined,
  snippetLength: undefined,
}

const TEMPLATE_PARAMETERS =
  'q={searchTerms}&num={count?}&start={startIndex?}&lr={language?}&safe={safe?}&cx={cx?}&sort={sort?}&filter={filter?}&gl={gl?}&cr={cr?}&googlehost={googleHost?}&c2coff={disableCnTwTranslation?}&hq={hq?}&hl={hl?}&siteSearch={siteSearch?}&siteSearchFilter={siteSearchFilter?}&exactTerms={exactTerms?}&excludeTerms={excludeTerms?}&linkSite={linkSite?}&orTerms={orTerms?}&dateRestrict={dateRestrict?}&lowRange={lowRange?}&highRange={highRange?}&searchType={searchType?}&fileType={fileType?}&rights={rights?}&imgSize={imgSize?}&imgType={imgType?}&imgColorType={imgColorType?}&imgDominantColor={imgDominantColor?}&alt=json'

function repeated({ parameters, safe }: SearchInput): Json {
  const entries = Object.entries(parameters).flatMap(([name, value]) => {
    const key = name in REPEATED ? REPEATED[name as Parameter] : name
    return key === undefined ? [] : [[key, value]]
  })
  return { ...Object.fromEntries(entries), safe: safe === true ? 'active' : 'off' }
}

function pagesOf(request: SearchInput, { items, more }: SearchResultPage, total: string): Json {
  const { q, cx, num, start } = request
  const page = (startIndex: number, count: number): Json[] => [
    compact<Json>({
      title: `Custom Search - ${q}`,
      totalResults: total,
      searchTerms: q,
      count,
      startIndex,
      inputEncoding: 'utf8',
      outputEncoding: 'utf8',
      cx,
      ...repeated(request),
    }),
  ]
  const next = start + num
  return {
    ...(start > 1 && { previousPage: page(Math.max(1, start - num), Math.min(num, start - 1)) }),
    request: page(start, items.length || num),
    ...(more &&
      items.length > 0 &&
      next <= MAX_RESULTS && { nextPage: page(next, Math.min(num, MAX_RESULTS - next + 1)) }),
  }
}

function pagemapOf(result: SearchResult): Json | undefined {
  const own = object(result.fields?.['pagemap'])
  const [published, thumbnail] = [text(result.published), text(result.thumbnail)]
  if (!own && !published && !thumbnail) return undefined
  return {
    ...(published && { metatags: [{ 'article:published_time': published }] }),
    ...(thumbnail && { cse_thumbnail: [{ src: thumbnail }], cse_image: [{ src: thumbnail }] }),
    ...own,
  }
}

function itemOf(result: SearchResult, markup: boolean, words: RegExp | undefined): Json {
  const title = plainText(result.title, markup) || result.url.host
  const snippet = plainText(result.snippet, markup)
  const { link } = result
  return compact<Json>({
    kind: 'customsearch#result',
    title,
    htmlTitle: boldHtml(title, words),
    link,
    displayLink: result.url.host,
    snippet,
    htmlSnippet: boldHtml(snippet, words),
    formattedUrl: link,
    htmlFormattedUrl: boldHtml(link, words),
    mime: result.mime,
    image: result.image && { ...result.image },
    ...result.fields,
    pagemap: pagemapOf(result),
  })
}

/**
 * A search response in the shape of the Custom Search JSON API.
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/Search
 */
export function writeSearchResponse(
  request: SearchInput,
  found: SearchResultPage,
  { title, markup, milliseconds }: SearchResponseFacts,
  path: string,
): Json {
  const { items, correction, fields } = found
  const total = String(found.total)
  const seconds = Math.max(0, milliseconds) / 1000
  const corrected = plainText(correction, markup)
  const words = wordPattern(request.q, request.parameters.exactTerms, request.parameters.orTerms)
  return {
    kind: 'customsearch#search',
    url: { type: 'application/json', template: `${path}?${TEMPLATE_PARAMETERS}` },
    queries: pagesOf(request, found, total),
    context: { title },
    searchInformation: {
      searchTime: seconds,
      formattedSearchTime: seconds.toFixed(2),
      totalResults: total,
      formattedTotalResults: found.total.toLocaleString('en-US'),
    },
    ...(corrected !== '' && {
      spelling: { correctedQuery: corrected, htmlCorrectedQuery: boldHtml(corrected, wordPattern(corrected)) },
    }),
    ...fields,
    ...(items.length > 0 && { items: items.map((result) => itemOf(result, markup, words)) }),
  }
}
