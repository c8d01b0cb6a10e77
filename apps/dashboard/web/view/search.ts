import { readRange } from './ranges.ts'
import { readZone } from './zones.ts'

/** Parses a search parameter; undefined = not valid. */
export type FieldReader<Value> = (text: string) => Value | undefined

export type SearchFields = Readonly<Record<string, FieldReader<unknown>>>

/** Parsed search parameters. */
export type SearchOf<Given extends SearchFields> = { [Name in keyof Given]?: ReturnType<Given[Name]> }

/** Maximum length of a parameter. */
const LONGEST = 1_000

export const text: FieldReader<string> = (value) => (value !== '' && value.length <= LONGEST ? value : undefined)

export const flag: FieldReader<true> = (value) => (value === '1' ? true : undefined)

export function oneOf<const Choice extends string>(choices: readonly Choice[]): FieldReader<Choice> {
  return (value) => choices.find((choice) => choice === value)
}

/** Whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): FieldReader<number> {
  return (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined
}

/** Search parameters of all pages, which links between them keep. */
export const SHARED = {
  range: readRange,
  /** Time zone of calendar periods; absent = the time zone of daily sums. */
  zone: readZone,
  project: text,
  environment: text,
  organization: text,
} satisfies SearchFields

export type SharedSearch = SearchOf<typeof SHARED>

/** Parser of search parameters. Unknown and invalid ones are dropped. */
export function searchOf<Given extends SearchFields>(
  fields: Given,
): (raw: Readonly<Record<string, unknown>>) => SearchOf<Given> {
  return (raw) => {
    const found: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(fields)) {
      const value = raw[name]
      if (value === undefined || value === null) continue
      // An invalid parameter is set to undefined, which removes it from the address.
      found[name] = read(value === true ? '1' : String(value))
    }
    return found as SearchOf<Given>
  }
}

/** Parser for a page in the shell. Parameters that neither the page nor the shell has are removed. */
export function pageSearch<Given extends SearchFields>(
  fields: Given,
): (raw: Readonly<Record<string, unknown>>) => SearchOf<Given> {
  const read = searchOf(fields)
  return (raw) => {
    const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(fields, name) && !Object.hasOwn(SHARED, name))
    return { ...Object.fromEntries(unknown.map((name) => [name, undefined])), ...read(raw) }
  }
}

/** Splits the query of an address into strings. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function writeSearch(values: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null) search.set(name, value === true ? '1' : String(value))
  // These characters are valid in a query, and easier to read.
  const text = search.toString().replaceAll('%3A', ':').replaceAll('%2F', '/')
  return text === '' ? '' : `?${text}`
}

/** Names of parameters of the address that the page has dropped. */
export function droppedOf(search: string, known: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(parseSearch(search)).filter((name) => known[name] === undefined)
}
