import { changed, dropped, type Loss } from '@headgate/core/canonical'
import { OPERATORS, PARAMETERS, type Parameter, type SearchQuery } from '@headgate/core/contract'
import { NO_CALL } from '../../http/exchange.ts'
import { type HealthTarget, plainTarget } from '../../routing/health.ts'
import { lossCollector } from '../../serve/losses.ts'
import type { SearchCandidate } from './engines.ts'
import { queryWithOperators } from './operators.ts'
import type { SearchInput } from './parameters.ts'
import type { Sites } from './site.ts'

/** Plan of a search at one backend. */
export interface SearchPlan {
  readonly candidate: SearchCandidate
  /** Query of each call, without the position in the list. */
  readonly query: Omit<SearchQuery, 'limit' | 'offset' | 'page'>
  readonly sites: Sites
  readonly losses: readonly Loss[]
}

/** Values that are the default and need no support from the backend. */
const USUAL: Readonly<Partial<Record<Parameter, string>>> = {
  safe: 'off',
  filter: '1',
  c2coff: '0',
  enableAlternateSearchHandler: 'false',
}

function sitesOf({ siteSearch }: SearchInput, own: Sites): Sites {
  if (!siteSearch) return own
  const { site, exclude } = siteSearch
  return exclude ? { include: own.include, exclude: [...own.exclude, site] } : { include: [site], exclude: own.exclude }
}

/** Fields of a request that a backend supports, in the contract's terms. */
function supportedFields(
  request: SearchInput,
  sites: Sites,
  carries: (parameter: Parameter) => boolean,
): Partial<SearchQuery> {
  const { dateRestrict, safe, lr, parameters } = request
  const { gl, hl, exactTerms, excludeTerms, orTerms, fileType, searchType } = parameters
  const fields: { [Field in keyof SearchQuery]?: SearchQuery[Field] | undefined } = {
    siteSearch: sites.include.length + sites.exclude.length > 0 ? sites : undefined,
    dateRestrict,
    gl: gl?.toLowerCase(),
    hl: hl?.replace('_', '-'),
    lr: lr?.[0],
    safe,
    exactTerms,
    excludeTerms,
    orTerms,
    fileType: fileType?.replace(/^\./, ''),
    searchType: searchType === undefined ? undefined : 'image',
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== undefined && carries(name as Parameter)),
  )
}

/**
 * Adds losses that the backend's exchange declares for its first request. An exchange that throws here throws again in
 * the call.
 */
function addDeclaredLosses({ search }: SearchCandidate['backend'], query: SearchQuery, losses: Loss[]): void {
  if (!('request' in search)) return
  try {
    search.request(query, { ...NO_CALL, lose: lossCollector(losses) })
  } catch {}
}

/**
 * Plans a request for a backend: which parameters it sends, which it writes into the query, and which are lost. `own`
 * are the engine's sites.
 */
export function planSearch(request: SearchInput, candidate: SearchCandidate, own: Sites): SearchPlan {
  const { backend, name } = candidate
  const losses: Loss[] = [...request.losses]
  const sites = sitesOf(request, own)
  // The caller's site is an ordinary parameter, but the engine's sites do not fit a backend's parameters.
  const isAsked = request.siteSearch !== undefined
  const carries = (parameter: Parameter): boolean =>
    backend.supports === 'all'
      ? parameter !== 'siteSearch' || isAsked
      : (backend.supports?.includes(parameter) ?? false)
  const isGiven = (parameter: Parameter): boolean =>
    parameter === 'siteSearch'
      ? sites.include.length + sites.exclude.length > 0
      : request.parameters[parameter] !== undefined && request.parameters[parameter] !== USUAL[parameter]
  const understood = backend.operators === 'all' ? OPERATORS : (backend.operators ?? [])
  const operators = understood.filter((operator) => isGiven(operator) && !carries(operator))
  const isFolded = (parameter: Parameter): boolean =>
    (operators as readonly Parameter[]).includes(parameter) ||
    parameter === 'hq' ||
    (parameter === 'highRange' && operators.includes('lowRange'))

  for (const parameter of PARAMETERS) {
    if (!isGiven(parameter) || carries(parameter) || isFolded(parameter)) continue
    if (parameter !== 'siteSearch') dropped(losses, parameter, `${name} does not support it`)
    else if (isAsked) changed(losses, parameter, `${name} cannot filter by site; its results are filtered`)
  }
  if ((request.lr?.length ?? 0) > 1 && carries('lr') && backend.supports !== 'all')
    changed(losses, 'lr', 'only the first language is requested')

  const speaksIt = backend.supports === 'all'
  const query = {
    q: queryWithOperators(speaksIt ? { ...request, parameters: {} } : request, sites, operators),
    ...supportedFields(request, sites, carries),
    parameters: speaksIt ? request.parameters : {},
  }
  for (const parameter of backend.changes?.({ ...query, limit: request.num, offset: 0, page: 0 }) ?? [])
    changed(losses, parameter, `${name} supports it approximately`)
  addDeclaredLosses(backend, { ...query, limit: request.num, offset: 0, page: 0 }, losses)
  return { candidate, query, sites, losses }
}

/** Target of cooldowns and rate limits for a backend. */
export function healthTargetOf({ candidate }: Pick<SearchPlan, 'candidate'>): HealthTarget {
  return plainTarget(`search/${candidate.key}`, '')
}
