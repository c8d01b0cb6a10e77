import { searchOf } from '../../view/search.ts'
import { readPreference, usePreference, writePreference } from './preferences.ts'
import { REQUESTS_SEARCH, type RequestsSearch } from './search.ts'

/** Named filters, order and columns of the list, with its time range. */
export interface SavedView {
  readonly name: string
  readonly search: ViewSearch
}

/** Part of an address that a view contains. */
export type ViewSearch = Omit<RequestsSearch, 'row'> & { readonly range?: string | undefined }

/** Maximum number of views of a person, and maximum lengths of a name and of the stored text. */
export const MOST = { views: 50, name: 60, text: 100_000 } as const

const read = searchOf(REQUESTS_SEARCH)

/** Views of a stored text. Invalid entries are skipped. */
export function readViews(text: string | undefined): readonly SavedView[] {
  if (text === undefined || text.length > MOST.text) return []
  const stored = parsed(text)
  if (!Array.isArray(stored)) return []
  return stored.flatMap((one: unknown): SavedView[] => {
    if (!isRecord(one) || typeof one['name'] !== 'string' || !isRecord(one['search'])) return []
    const { row: _, ...search } = read(one['search'])
    const range = typeof one['search']['range'] === 'string' ? one['search']['range'] : undefined
    return [{ name: one['name'].slice(0, MOST.name), search: Object.assign(search, range !== undefined && { range }) }]
  })
}

/** Views with another one, which replaces a view of the same name. Undefined = too many or too long. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] | undefined {
  const all = [...views.filter(({ name }) => name !== view.name), view].toSorted((one, other) =>
    one.name.localeCompare(other.name),
  )
  return all.length > MOST.views || JSON.stringify(all).length > MOST.text ? undefined : all
}

/** Name of the stored views of a person in an organization. */
const placeOf = (owner: string): string => `views.requests.${owner}`

/** Views that this browser stores for a person. @param owner person and organization */
export function useViews(owner: string): readonly SavedView[] {
  return readViews(usePreference(placeOf(owner)))
}

/** Stores a view. @returns an error message if it was not stored */
export function saveView(owner: string, view: SavedView): string | undefined {
  const views = withView(readViews(readPreference(placeOf(owner))), view)
  if (!views) return `A browser stores at most ${MOST.views} views. Delete one first.`
  return writePreference(placeOf(owner), JSON.stringify(views)) ? undefined : 'This browser does not store views.'
}

export function deleteView(owner: string, name: string): void {
  const views = readViews(readPreference(placeOf(owner))).filter((view) => view.name !== name)
  writePreference(placeOf(owner), views.length === 0 ? undefined : JSON.stringify(views))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
