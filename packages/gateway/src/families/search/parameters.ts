import { dropped, type Loss } from '@headgate/core/canonical'
import { PARAMETERS, type Parameter, type SearchQuery, type Site } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { readSite } from './site.ts'

/** Maximum position of a result that callers can page to. */
export const MAX_RESULTS = 100
const MAX_PER_PAGE = 10
const LONGEST_QUERY = 2_048

/** Validated search request. */
export interface SearchInput {
  readonly q: string
  readonly cx: string | undefined
  readonly num: number
  /** Position of the first result, from 1. */
  readonly start: number
  readonly siteSearch?: { readonly site: Site; readonly exclude: boolean }
  readonly dateRestrict?: NonNullable<SearchQuery['dateRestrict']>
  readonly safe?: boolean
  /** Languages of the documents; several = any of them. */
  readonly lr?: readonly string[]
  /** The other parameters of the request, unchanged. */
  readonly parameters: SearchQuery['parameters']
  /** Parameters that no search supports. */
  readonly losses: readonly Loss[]
}

/** Parameters of every Google API that do not affect the search. `key` is never a credential here. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['key', 'access_token', 'oauth_token', 'alt', '$alt', 'prettyPrint', '$prettyPrint', 'quotaUser', 'userIp'],
  ...['uploadType', 'upload_protocol', '$.xgafv'],
])
const OWN: ReadonlySet<string> = new Set(['q', 'cx', 'num', 'start', 'siteSearchFilter', ...PARAMETERS])

/** The parameters by name, without empty ones. */
function parametersIn(query: string, losses: Loss[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (value === '' || IGNORED.has(name)) continue
    if (!OWN.has(name)) {
      dropped(losses, name.slice(0, 64), 'not a search parameter')
      continue
    }
    if (found.has(name)) throw invalid(name, `The parameter ${name} is repeated. Send it once.`)
    found.set(name, value)
  }
  return found
}

function wholeNumber(value: string | undefined, name: string, fallback: number, most: number): number {
  if (value === undefined) return fallback
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (number >= 1 && number <= most) return number
  throw invalid(name, `${name} must be a whole number from 1 to ${most}.`)
}

const DAYS = { d: 1, w: 7, m: 0, y: 0 } as const
const MONTHS = { d: 0, w: 0, m: 1, y: 12 } as const
type Unit = keyof typeof DAYS

/** Earliest date: the web has no older pages, and some backends cannot read years before the year 1. */
const EARLIEST = Date.UTC(1970, 0)

/** Reads `d5`, `w[2]` or `m`: the date that long before now. */
function readDate(value: string, now: number): NonNullable<SearchQuery['dateRestrict']> {
  const [, unit, digits = '1'] = /^([dwmy])\[?(\d{1,4})?\]?$/.exec(value) ?? []
  const count = Number(digits)
  if (unit === undefined || count < 1)
    throw invalid('dateRestrict', 'dateRestrict must be d, w, m or y with a number, such as "m6".')
  const day = new Date(now)
  const months = count * MONTHS[unit as Unit]
  const date = day.getUTCDate()
  day.setUTCDate(months > 0 ? 1 : date - count * DAYS[unit as Unit])
  day.setUTCMonth(day.getUTCMonth() - months)
  // The target month may be shorter; use its last day then.
  if (months > 0)
    day.setUTCDate(Math.min(date, new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()))
  return { unit: unit as Unit, count, since: new Date(Math.max(EARLIEST, day.getTime())).toISOString().slice(0, 10) }
}

/** Reads `lang_en|lang_zh-CN`. */
function readLanguages(value: string): string[] {
  const languages = value.split('|').map((one) => /^(?:lang_)?([a-z]{2,3}(?:-[a-z]{2,4})?)$/i.exec(one.trim())?.[1])
  if (languages.every((one) => one !== undefined)) return languages
  throw invalid('lr', 'lr must be a language such as "lang_en", or several separated by "|".')
}

function oneOf(value: string | undefined, name: string, allowed: readonly string[]): string | undefined {
  if (value === undefined || allowed.includes(value)) return value
  throw invalid(name, `${name} must be ${allowed.map((word) => `"${word}"`).join(' or ')}.`)
}

function checkPattern(value: string | undefined, name: string, pattern: RegExp, such: string): void {
  if (value !== undefined && !pattern.test(value)) throw invalid(name, `${name} must be ${such}.`)
}

/**
 * Reads the query string of a search. `now` is Unix time in milliseconds.
 * @throws HeadgateError that names the invalid parameter.
 */
export function readParameters(query: string, now: number): SearchInput {
  const losses: Loss[] = []
  const found = parametersIn(query, losses)
  const q = found.get('q')?.trim()
  if (!q) throw invalid('q', 'q is missing. Send the search terms in q.')
  if (q.length > LONGEST_QUERY) throw invalid('q', `q has ${q.length} characters; the maximum is ${LONGEST_QUERY}.`)
  const num = wholeNumber(found.get('num'), 'num', MAX_PER_PAGE, MAX_PER_PAGE)
  const start = wholeNumber(found.get('start'), 'start', 1, MAX_RESULTS)
  if (start + num - 1 > MAX_RESULTS) {
    const last = `${MAX_RESULTS - num + 1}`
    throw invalid(
      'start',
      `A search has at most ${MAX_RESULTS} results. With num=${num}, start must be from 1 to ${last}.`,
    )
  }
  checkPattern(found.get('gl'), 'gl', /^[a-z]{2}$/i, 'a country of two letters, such as "de"')
  checkPattern(found.get('hl'), 'hl', /^[a-z]{2,3}(?:[-_][a-z0-9]{2,4})?$/i, 'a language such as "en" or "pt-BR"')
  oneOf(found.get('searchType'), 'searchType', ['image'])
  const exclude = oneOf(found.get('siteSearchFilter'), 'siteSearchFilter', ['i', 'e']) === 'e'
  const site = found.get('siteSearch')
  const date = found.get('dateRestrict')
  // Older clients send `high` and `medium`.
  const safe = oneOf(found.get('safe'), 'safe', ['high', 'medium', 'active', 'off'])
  const languages = found.get('lr')
  const parameters: Partial<Record<Parameter | 'siteSearchFilter', string>> = {}
  for (const name of [...PARAMETERS, 'siteSearchFilter'] as const) {
    const value = found.get(name)
    if (value !== undefined) parameters[name] = value
  }
  return {
    q,
    cx: found.get('cx'),
    num,
    start,
    ...(site !== undefined && { siteSearch: { site: readSite(site, 'siteSearch'), exclude } }),
    ...(date !== undefined && { dateRestrict: readDate(date, now) }),
    ...(safe !== undefined && { safe: safe !== 'off' }),
    ...(languages !== undefined && { lr: readLanguages(languages) }),
    parameters,
    losses,
  }
}
