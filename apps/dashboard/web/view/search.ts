import { readRange } from './ranges.ts'

/** Reads a value of an address; undefined for what is none. */
export type Reader<Value> = (text: string) => Value | undefined

export type Fields = Readonly<Record<string, Reader<unknown>>>

/** What an address says, by fields: what is not there is left out. */
export type SearchOf<Given extends Fields> = { [Name in keyof Given]?: ReturnType<Given[Name]> }

/** Longest text of an address. */
const LONGEST = 1_000

export const text: Reader<string> = (value) => (value !== '' && value.length <= LONGEST ? value : undefined)

export const flag: Reader<true> = (value) => (value === '1' ? true : undefined)

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  return (value) => choices.find((choice) => choice === value)
}

/** A number within bounds, both included. */
export function wholeNumber(least: number, most: number): Reader<number> {
  return (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined
}

/** What all pages share, and links between them keep. */
export const SHARED = { range: readRange, project: text, environment: text, organization: text } satisfies Fields

export type SharedSearch = SearchOf<typeof SHARED>

/** A page's part of the address, checked: what is unknown, or not valid, is dropped. */
export function searchOf<Given extends Fields>(
  fields: Given,
): (raw: Readonly<Record<string, unknown>>) => SearchOf<Given> {
  return (raw) => {
    const found: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(fields)) {
      const value = raw[name]
      if (value === undefined || value === null) continue
      // What is not valid is undefined, and not what stood there.
      found[name] = read(value === true ? '1' : String(value))
    }
    return found as SearchOf<Given>
  }
}

/** The same of a page within the shell: what neither it nor the shell knows is dropped as well. */
export function pageSearch<Given extends Fields>(
  fields: Given,
): (raw: Readonly<Record<string, unknown>>) => SearchOf<Given> {
  const own = searchOf(fields)
  return (raw) => {
    const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(fields, name) && !Object.hasOwn(SHARED, name))
    return { ...Object.fromEntries(unknown.map((name) => [name, undefined])), ...own(raw) }
  }
}

/** The search of an address: every value is the text that stands there. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function writeSearch(values: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null) search.set(name, value === true ? '1' : String(value))
  // Easier to read in a bar of addresses, and as valid.
  const text = search.toString().replaceAll('%3A', ':').replaceAll('%2F', '/')
  return text === '' ? '' : `?${text}`
}

/** What an address says that no page knows. */
export function droppedOf(search: string, known: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(parseSearch(search)).filter((name) => known[name] === undefined)
}
