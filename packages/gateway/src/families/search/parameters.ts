import { dropped, type Loss } from '@headgate/core/canonical'
import { PARAMETERS, type Parameter, type SearchQuery, type Site } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import { readSite } from './site.ts'

/** Results that can be paged to. */
export const MOST_RESULTS = 100
const MOST_PER_PAGE = 10
const LONGEST_QUERY = 2_048

/** A search as the caller asked for it, checked. */
export interface SearchRequest {
  readonly q: string
  readonly cx: string | undefined
  readonly num: number
  /** From 1. */
  readonly start: number
  readonly siteSearch?: { readonly site: Site; readonly exclude: boolean }
  readonly dateRestrict?: NonNullable<SearchQuery['dateRestrict']>
  readonly safe?: boolean
  /** Languages of the documents; more than one = any of them. */
  readonly lr?: readonly string[]
  /** What was given of the other parameters, as it was written. */
  readonly parameters: SearchQuery['parameters']
  /** What was given and is nothing that a search could honor. */
  readonly losses: readonly Loss[]
}

/** Parameters of every Google API that say nothing about the search; `key` is never a credential here. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['key', 'access_token', 'oauth_token', 'alt', '$alt', 'prettyPrint', '$prettyPrint', 'quotaUser', 'userIp'],
  ...['uploadType', 'upload_protocol', '$.xgafv'],
])
const OWN: ReadonlySet<string> = new Set(['q', 'cx', 'num', 'start', 'siteSearchFilter', ...PARAMETERS])

/** The parameters by name; empty ones are as good as absent. */
function given(query: string, losses: Loss[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (value === '' || IGNORED.has(name)) continue
    if (!OWN.has(name)) {
      dropped(losses, name.slice(0, 64), 'not a parameter of a search')
      continue
    }
    if (found.has(name)) throw invalid(name, `The parameter ${name} is there twice. Send it once.`)
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

/** No page of the web is older, and years before the first can not be written as every backend reads them. */
const EARLIEST = Date.UTC(1970, 0)

/** `d5`, `w[2]`, `m`: the day that long before now. */
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
  // A month before the 31st there may be none: its last day then.
  if (months > 0)
    day.setUTCDate(Math.min(date, new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()))
  return { unit: unit as Unit, count, since: new Date(Math.max(EARLIEST, day.getTime())).toISOString().slice(0, 10) }
}

/** `lang_en|lang_zh-CN` */
function readLanguages(value: string): string[] {
  const languages = value.split('|').map((one) => /^(?:lang_)?([a-z]{2,3}(?:-[a-z]{2,4})?)$/i.exec(one.trim())?.[1])
  if (languages.every((one) => one !== undefined)) return languages
  throw invalid('lr', 'lr must be languages such as "lang_en", or several of them with "|" between.')
}

function oneOf(value: string | undefined, name: string, allowed: readonly string[]): string | undefined {
  if (value === undefined || allowed.includes(value)) return value
  throw invalid(name, `${name} must be ${allowed.map((word) => `"${word}"`).join(' or ')}.`)
}

function matching(value: string | undefined, name: string, pattern: RegExp, such: string): void {
  if (value !== undefined && !pattern.test(value)) throw invalid(name, `${name} must be ${such}.`)
}

/**
 * Reads the query string of a search. `now` is Unix time in milliseconds.
 * @throws HeadgateError that names the parameter at fault.
 */
export function readParameters(query: string, now: number): SearchRequest {
  const losses: Loss[] = []
  const found = given(query, losses)
  const q = found.get('q')?.trim()
  if (!q) throw invalid('q', 'q is missing: the words to search for.')
  if (q.length > LONGEST_QUERY) throw invalid('q', `q has ${q.length} characters; ${LONGEST_QUERY} are allowed.`)
  const num = wholeNumber(found.get('num'), 'num', MOST_PER_PAGE, MOST_PER_PAGE)
  const start = wholeNumber(found.get('start'), 'start', 1, MOST_RESULTS)
  if (start + num - 1 > MOST_RESULTS) {
    const last = `${MOST_RESULTS - num + 1}`
    throw invalid(
      'start',
      `A search has ${MOST_RESULTS} results at most: with num=${num}, start goes from 1 to ${last}.`,
    )
  }
  matching(found.get('gl'), 'gl', /^[a-z]{2}$/i, 'a country of two letters, such as "de"')
  matching(found.get('hl'), 'hl', /^[a-z]{2,3}(?:[-_][a-z0-9]{2,4})?$/i, 'a language such as "en" or "pt-BR"')
  oneOf(found.get('searchType'), 'searchType', ['image'])
  const exclude = oneOf(found.get('siteSearchFilter'), 'siteSearchFilter', ['i', 'e']) === 'e'
  const site = found.get('siteSearch')
  const date = found.get('dateRestrict')
  // The first two of these are what older clients send.
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
